import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = new URL('../..', import.meta.url).pathname

/** Builds the pages of the console if their input changed. Answers their folder. */
export async function buildConsole(): Promise<string> {
  const turbo = join(root, 'node_modules/.bin/turbo')
  await promisify(execFile)(turbo, ['run', 'build', '--filter=@lettergate/console', '--output-logs=errors-only'], {
    cwd: root,
  })
  return join(root, 'services/console/dist')
}
