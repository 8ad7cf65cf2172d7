import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '@lettergate/cli'

export interface CommandRun {
  exit: number
  out: string
  err: string
}

export interface CommandLine {
  /** Runs `lettergate` with these arguments, as this user unless it is null. Nobody can answer a question. */
  (user: string | null, ...argv: string[]): Promise<CommandRun>
  settingsFile: string
  /** what is piped in */
  piped: string
  remove(): void
}

/** The command line against a gateway, with a settings file of its own, in the workspace acme/newsletter. */
export function commandLine(baseUrl: string): CommandLine {
  const folder = mkdtempSync(join(tmpdir(), 'lettergate-cli-'))
  const settingsFile = join(folder, 'lettergate', 'settings.json')
  const cli = (async (user, ...argv) => {
    const written = { out: '', err: '' }
    const token = user === null ? {} : { token: `wallet-session-dev-${user}` }
    const exit = await run(argv, {
      environment: { ...token, baseUrl, settingsFile, ...(user === null ? {} : { workspace: 'acme/newsletter' }) },
      terminal: {
        out: (text) => void (written.out += text),
        err: (text) => void (written.err += text),
        isInteractive: false,
        ask: () => Promise.reject(new Error('nobody is there to answer')),
        readAll: () => Promise.resolve(cli.piped),
      },
    })
    if (`${written.out}${written.err}`.includes('wallet-session-')) throw new Error('a token was printed')
    return { exit, ...written }
  }) as CommandLine
  return Object.assign(cli, { settingsFile, piped: '', remove: () => rmSync(folder, { recursive: true, force: true }) })
}
