// A window of VS Code, as a person uses it: keys, the palette, what is to be seen.
import { createRequire } from 'node:module'
import * as path from 'node:path'

const { chromium } = createRequire(path.join(process.env.VRAMLINT_EDITOR, 'package.json'))('playwright-core')

/** How long something may take to show, milliseconds. */
const PATIENCE = 30_000

export class Window {
	static async open(url) {
		const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
		const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
		const page = await context.newPage()
		page.setDefaultTimeout(PATIENCE)
		await page.goto(url)
		await page.waitForSelector('.monaco-workbench .part.statusbar', { timeout: 60_000 })
		return new Window(browser, page)
	}

	/** Has the window show what URL names instead. */
	async show(url) {
		// Now and then VS Code comes up with a workspace's folders missing; then it is asked once more.
		await this.until('the folders', async () => {
			await this.page.goto(url)
			const file = this.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'train.py' }).first()
			return file.waitFor({ timeout: 12_000 }).then(() => true, () => false)
		}, 90_000)
	}

	constructor(browser, page) {
		this.browser = browser
		this.page = page
	}

	close() {
		return this.browser.close()
	}

	async picture(file) {
		await this.page.screenshot({ path: file })
	}

	/** Waits until WORK gives something true, and gives that. */
	async until(what, work, patience = PATIENCE) {
		const end = Date.now() + patience
		let last
		do {
			last = await work()
			if (last) return last
			await this.page.waitForTimeout(50)
		} while (Date.now() < end)
		throw new Error(`waited in vain: ${what}`)
	}

	/** Presses KEY until SEEN, which says WHAT is to come of it, gives something true: a window that has much to do misses keys. */
	async press(key, what, seen) {
		await this.until(what, async () => {
			await this.page.keyboard.press(key)
			return this.until(what, seen, 4_000).catch(() => false)
		})
	}

	/** The box at the top. */
	box() {
		return this.page.locator('.quick-input-widget')
	}

	/** Where one writes in it. */
	input() {
		return this.box().locator('input[type=text]').first()
	}

	/** The row below it that says TEXT. */
	row(text) {
		return this.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first()
	}

	/** Opens the box at the top by KEY, writes TEXT, takes the row that says ROW. Once more where the box went away, or
	 *  did not know the row yet: it shows what was known when it opened. */
	async pick(key, text, row) {
		await this.until(`'${row ?? text}' can be chosen`, async () => {
			try {
				await this.page.keyboard.press(key)
				await this.input().fill(text, { timeout: 2_000 })
				if (row !== undefined) await this.row(row).click({ timeout: 4_000 })
				else await this.press('Enter', 'the end of the box', () => this.box().isHidden())
				return true
			} catch {
				await this.page.keyboard.press('Escape')
				return false
			}
		})
	}

	command(title) {
		return this.pick('F1', `>${title}`, title)
	}

	/** Runs the command TITLE, and again, until COUNT waves are seen: VS Code drops an answer to what it asked of the server
	 *  where the findings are told anew meanwhile. */
	async fixBy(title, count) {
		await this.until(`${count} waves after '${title}'`, async () => {
			await this.command(title)
			return this.expectSquiggles(count, 5_000).then(() => true, () => false)
		})
	}

	async openFile(name) {
		const title = path.basename(name)
		const folder = path.dirname(name)
		await this.pick('Control+P', name, folder === '.' ? title : new RegExp(`${title}\\W*${folder}`))
		await this.page.locator('.tab.active', { hasText: title }).first().waitFor()
	}

	async goTo(line, column) {
		await this.pick('Control+G', `:${line}:${column}`)
	}

	/** Waits until COUNT lines of the editor, or of the notebook, that is seen have a wave beneath them. */
	async expectSquiggles(count, patience = PATIENCE) {
		const waves = this.page.locator('.squiggly-warning, .squiggly-error').filter({ visible: true })
		await this.until(`${count} waves`, async () => (await waves.count()) === count, patience)
	}

	/** What is to be read in the editor. */
	async text() {
		const lines = await this.page.locator('.editor-instance .view-line').allInnerTexts()
		return lines.join('\n').replaceAll('\u00a0', ' ')
	}

	/** Whether something is selected in the editor, by the word of the status bar. */
	async selects() {
		return /selected|selections/.test(await this.page.locator('.statusbar').innerText())
	}

	/** As if from the clipboard: the editor does not indent and complete what is typed. */
	async paste(text) {
		await this.page.keyboard.insertText(text)
	}

	/** The rows of the problems panel. */
	async problems() {
		return this.page.locator('.markers-panel .monaco-list-row').allInnerTexts()
	}

	async showProblems() {
		await this.command('Problems: Focus on Problems View')
	}

	/** What hovers over the cursor. */
	async hover() {
		const hover = this.page.locator('.monaco-editor .monaco-hover:not(.hidden)').first()
		await this.until('the hover', async () => {
			await this.command('Show or Focus Hover')
			return hover.waitFor({ timeout: 5_000 }).then(() => true, () => false)
		})
		return hover
	}

	/** The menu of quick fixes at the cursor. */
	async fixes() {
		const rows = this.page.locator('.action-widget .monaco-list-row.action')
		await this.press('Control+.', 'quick fixes', async () => (await rows.count()) > 0)
		return rows
	}

	/** Text in frames, which hold previews. */
	async framesText() {
		const texts = await Promise.all(this.page.frames().slice(1).map((frame) =>
			frame.evaluate(() => document.body?.innerText ?? '').catch(() => '')))
		return texts.join('\n')
	}

	async save() {
		await this.press('Control+S', 'saved', async () => (await this.page.locator('.tab.active.dirty').count()) === 0)
	}
}
