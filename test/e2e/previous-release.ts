import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { loadOptions } from './config.ts'

/** A checkout of an earlier release, with packages, beside this one. */
export interface PreviousRelease {
  name: string
  directory: string
  remove(): void
}

const root = new URL('../..', import.meta.url).pathname
const run = (command: string, parameters: readonly string[], cwd = root) =>
  execFileSync(command, parameters, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()

/**
 * The commit that PREVIOUS_RELEASE names, or the newest tag `v*` before this commit. Undefined without one: a clone may be
 * shallow or without tags, and a copy without git has none.
 */
export function previousRelease(): string | undefined {
  const { previousRelease: given } = loadOptions()
  if (given !== '') return run('git', ['rev-parse', '--verify', `${given}^{commit}`])
  try {
    const parameters = ['--merged', 'HEAD', '--no-contains', 'HEAD', '--list', 'v*', '--sort=-v:refname']
    return run('git', ['tag', ...parameters]).split('\n')[0] || undefined
  } catch {
    return undefined
  }
}

/** Checks a release out. Its packages are those here if both have the same lockfile, and installed otherwise. */
export function checkOut(name: string, directory: string): PreviousRelease {
  run('git', ['worktree', 'add', '--detach', directory, name])
  const remove = () => {
    run('git', ['worktree', 'remove', '--force', directory])
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    const lockfile = (of: string) => readFileSync(join(of, 'package-lock.json'), 'utf8')
    if (lockfile(root) === lockfile(directory)) takePackages(directory)
    else run('npm', ['ci', '--no-progress', '--prefer-offline'], directory)
    // Pages of the console are not part of the test, and building them takes longer than it.
    const pages = 'services/console/dist'
    if (existsSync(join(root, pages)) && !existsSync(join(directory, pages)))
      symlinkSync(join(root, pages), join(directory, pages))
  } catch (error) {
    remove()
    throw error
  }
  return { name, directory, remove }
}

/**
 * Hard links, or copies if the checkout is on another file system, as in memory. Packages of the workspace are relative links, which
 * then lead to the other checkout.
 */
function takePackages(directory: string) {
  const how = statSync(root).dev === statSync(directory).dev ? '-al' : '-a'
  const holders = ['.', ...['clients', 'deploy', 'libs', 'services', 'test'].flatMap(foldersOf)]
  for (const holder of holders) {
    const packages = join(root, holder, 'node_modules')
    if (existsSync(packages) && existsSync(join(directory, holder))) run('cp', [how, packages, join(directory, holder)])
  }
}

const foldersOf = (folder: string) =>
  readdirSync(join(root, folder)).flatMap((name) =>
    statSync(join(root, folder, name)).isDirectory() ? [join(folder, name)] : [],
  )
