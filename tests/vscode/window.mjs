// A window of VS Code, as a person uses it: keys, the palette, what is to be seen.
import { createRequire } from 'node:module'
import * as path from 'node:path'

const { chromium } = createRequire(path.join(process.env.VRAMLINT_EDITOR, 'package.json'))('playwright-core')

/** How long something may take to show, milliseconds. */
const PATIENCE = 8_000

export class Window {
	static async open(url) {
		const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] })
		const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
		const page = await context.newPage()
		page.setDefaultTimeout(PATIENCE)
		await page.goto(url)
		await page.waitForSelector('.monaco-workbench .part.statusbar', { timeout: 60_000 })
		return new Window(browser, page)
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

	/** Opens the box at the top by KEY, writes TEXT, takes the row that says ROW. */
	async pick(key, text, row) {
		await this.page.keyboard.press(key)
		const input = this.page.locator('.quick-input-widget input[type=text]').first()
		await input.waitFor()
		await input.fill(text)
		if (row !== undefined) await this.page.locator('.quick-input-list .monaco-list-row', { hasText: row }).first().click()
		else await this.page.keyboard.press('Enter')
	}

	command(title) {
		return this.pick('F1', `>${title}`, title)
	}

	async openFile(name) {
		await this.pick('Control+P', name, name)
		await this.page.locator('.tab.active', { hasText: name }).first().waitFor()
	}

	async goTo(line, column) {
		await this.pick('Control+G', `:${line}:${column}`)
		await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' })
	}

	squiggles() {
		return this.page.locator('.squiggly-warning, .squiggly-error')
	}

	async expectSquiggles(count) {
		await this.until(`${count} squiggles`, async () => (await this.squiggles().count()) === count)
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
		await this.command('Show or Focus Hover')
		const hover = this.page.locator('.monaco-editor .monaco-hover:not(.hidden)').first()
		await hover.waitFor()
		return hover
	}

	/** The menu of quick fixes at the cursor. */
	async fixes() {
		await this.page.keyboard.press('Control+.')
		const rows = this.page.locator('.action-widget .monaco-list-row.action')
		await rows.first().waitFor()
		return rows
	}

	/** Text in frames, which hold previews. */
	async framesText() {
		const texts = await Promise.all(this.page.frames().slice(1).map((frame) =>
			frame.evaluate(() => document.body?.innerText ?? '').catch(() => '')))
		return texts.join('\n')
	}

	async notifications() {
		return this.page.locator('.notification-toast, .notifications-center .notification-list-item').allInnerTexts()
	}

	async save() {
		await this.page.keyboard.press('Control+S')
		await this.until('saved', async () => (await this.page.locator('.tab.active.dirty').count()) === 0)
	}
}
