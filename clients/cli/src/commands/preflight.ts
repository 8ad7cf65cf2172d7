import type { Preflight, PreflightCheck } from '@lettergate/client'
import type { Command } from 'commander'
import { exits } from '../exit.ts'
import type { Session } from '../session.ts'

const marks = { pass: 'ok   ', warn: 'warn ', block: 'BLOCK' }

const lineOf = ({ status, label, detail, remediation }: PreflightCheck) =>
  `${marks[status]}  ${label}: ${detail}${status === 'pass' || !remediation ? '' : `\n       ${remediation}`}\n`

/** The checks of a preflight with what to do about those that do not pass. */
export const preflightText = ({ status, completed_at, checks }: Preflight): string =>
  `${checks.map(lineOf).join('')}${status === 'passed' ? 'Nothing blocks a launch' : 'The launch is blocked'} (${completed_at}).\n`

/** `preflight`: the launch checks of a workspace. */
export function addPreflight(program: Command, session: Session): void {
  program
    .command('preflight')
    .description('check whether the workspace is ready to send; sends nothing and opens no gate')
    .option('--latest', 'show the latest report instead of checking now')
    .addHelpText('after', '\nThe exit status is 0 when nothing blocks, else 5.')
    .action(async ({ latest = false }: { latest?: boolean }) => {
      const api = session.workspace()
      const data: { preflight: Preflight | null } = await (latest
        ? session.data(api.getPreflight())
        : session.data(api.runPreflight({ body: {} })))
      if (data.preflight?.status !== 'passed') session.exit = exits.no
      session.show(data, ({ preflight }) =>
        preflight === null ? 'There is no report yet. Run `lettergate preflight`.\n' : preflightText(preflight),
      )
    })
}
