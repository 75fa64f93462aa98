// Makes the .vsix: bundles the sources with what they use, gathers the licenses, packs. A program in bin/ goes along.
//
// usage: npm run package [-- OPTION-OF-VSCE...]     such as --out FILE, --target linux-x64
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import * as path from 'node:path'
import * as esbuild from 'esbuild'

const here = import.meta.dirname
process.chdir(here)

rmSync('dist', { recursive: true, force: true })
const { metafile } = await esbuild.build({
	absWorkingDir: here,
	entryPoints: ['src/extension.ts'],
	outfile: 'dist/extension.js',
	bundle: true,
	minify: true,
	platform: 'node',
	format: 'cjs',
	target: 'node20',
	external: ['vscode'],
	metafile: true,
	logLevel: 'warning',
})

/** The license of each package that went into the bundle. */
function licenses() {
	const packages = new Set(Object.keys(metafile.inputs).map((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]))
	packages.delete(undefined)
	return [...packages].sort().map((name) => {
		const folder = path.join('node_modules', name)
		const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
		const license = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file))
		if (license === undefined) throw new Error(`'${folder}' has no license`)
		return `${name} ${version}\n\n${readFileSync(path.join(folder, license), 'utf8').trim()}\n`
	})
}

mkdirSync('dist', { recursive: true })
writeFileSync('dist/licenses.txt', licenses().join(`\n${'-'.repeat(80)}\n\n`))
copyFileSync(process.env.VRAMLINT_LICENSE ?? '../../LICENSE', 'LICENSE')

const vsce = createRequire(import.meta.url).resolve('@vscode/vsce/package.json')
const packed = spawnSync(process.execPath, [path.join(path.dirname(vsce), 'vsce'), 'package',
	'--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links', '--allow-unused-files-pattern', ...process.argv.slice(2)], { stdio: 'inherit' })
process.exit(packed.status ?? 1)
