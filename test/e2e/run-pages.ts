import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandOutcome, OwnStack } from './own-stack.ts'

const root = new URL('../..', import.meta.url).pathname

/** The `sh` blocks of a page, from a heading on. Examples in `bash` blocks are not run. */
function commandsOf(page: string, from: string): string[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.slice(text.indexOf(from)).matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block!)
}

/**
 * Runs the commands of these pages in one shell, in the folder of the repository. Files are written elsewhere. Throws with the end
 * of the output when a command fails.
 */
export async function runPages(stack: OwnStack, pages: readonly string[], from = ''): Promise<CommandOutcome> {
  const blocks = pages.flatMap((page) => commandsOf(page, from))
  if (blocks.length < pages.length) throw new Error(`a page of ${pages.join(', ')} has no commands`)
  const files = join(stack.directory, 'pages')
  mkdirSync(files, { recursive: true })
  const script = ['set -euo pipefail', ...blocks]
    .join('\n')
    .replaceAll(/\b(?<name>people\.csv|sign-up\.json)\b/g, `${files}/$<name>`)
  const env = { ...process.env, LETTERGATE_STATE_DIR: stack.directory, LETTERGATE_PORT: String(stack.port) }
  return new Promise((resolve, reject) => {
    execFile('bash', ['-x', '-c', script], { cwd: root, env, timeout: 170_000 }, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`
      if (error) reject(new Error(`a command of the pages failed: ${output.slice(-2_000)}`, { cause: error }))
      else resolve({ status: 0, output })
    })
  })
}
