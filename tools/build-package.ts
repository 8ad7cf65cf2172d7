// Builds a package of clients/ for the npm registry: node tools/build-package.ts clients/typescript [folder], then npm pack in
// that folder (default: its `dist`). Node strips no types below node_modules, so the built package has JavaScript and types.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

interface Package {
  exports?: Record<string, string>
  bin?: Record<string, string>
  dependencies?: Record<string, string>
  [field: string]: unknown
}

const root = resolve(import.meta.dirname, '..')
const built = (path: string) => path.replace(/\.ts$/, '.js')
const mapped = <Value>(entries: Record<string, string> | undefined, to: (path: string) => Value) =>
  entries && Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, to(path)]))

/** The package.json of the built package: its entries are JavaScript, and nothing in it is for development. */
function packageOf(written: Package): object {
  const { exports, bin } = written
  return {
    ...written,
    private: undefined,
    devDependencies: undefined,
    exports: mapped(exports, (path) => ({ types: path.replace(/\.ts$/, '.d.ts'), default: built(path) })),
    bin: mapped(bin, built),
  }
}

/** Writes the package to a folder, which is emptied first. */
function buildPackage(source: string, target: string): void {
  rmSync(target, { recursive: true, force: true })
  const flags = ['--noEmit', 'false', '--allowImportingTsExtensions', 'false', '--rewriteRelativeImportExtensions']
  const folders = ['-p', join(source, 'tsconfig.build.json'), '--rootDir', source, '--outDir', target]
  const { status } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), ...flags, '--declaration', ...folders],
    { stdio: 'inherit' },
  )
  if (status !== 0) throw new Error(`tsc ended with ${status}`)
  const written = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Package
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(packageOf(written), null, 2)}\n`)
  if (existsSync(join(source, 'README.md'))) cpSync(join(source, 'README.md'), join(target, 'README.md'))
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'))
}

const [source, target] = process.argv.slice(2)
if (source === undefined) throw new Error('Name a package: node tools/build-package.ts clients/typescript [folder]')
buildPackage(resolve(source), resolve(target ?? join(source, 'dist')))
