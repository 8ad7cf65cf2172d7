import type { Command } from 'commander'
import { exits, UsageError } from '../exit.ts'
import type { GlobalOptions, Session } from '../session.ts'
import { readStored, removeStored, writeStored } from '../settings-file.ts'
import { columns, fields } from '../table.ts'

/** `sign-in`, `sign-out`, `whoami` and `workspaces`. */
export function addSignIn(program: Command, session: Session): void {
  program
    .command('sign-in')
    .description('keep a token of the identity wallet, with --url and --workspace, in a file that only you can read')
    .addHelpText(
      'after',
      '\nAsks for the token, or reads it from a pipe:\n  lettergate sign-in --url https://mail.example.org < token.txt',
    )
    .action(() => signIn(session, program.opts<GlobalOptions>()))
  program
    .command('sign-out')
    .description('delete the kept token')
    .action(() => {
      removeStored(session.environment.settingsFile)
      session.show(
        { signed_out: true },
        () => 'The token is deleted from this machine. It stays valid until the wallet ends it.\n',
      )
    })
  program
    .command('whoami')
    .description('show who you are, and your role in each workspace')
    .action(async () => {
      const me = await session.data(session.api().getMe())
      session.show(me, ({ user, workspaces }) => {
        const roles = workspaces.map(({ organization, workspace, role }) => [`${organization}/${workspace}`, role])
        return `${fields({ user: user.username ?? user.wallet_user_id, kind: user.identity_type, platform_role: user.platform_role })}${columns(roles)}`
      })
    })
  program
    .command('workspaces')
    .description('list your workspaces')
    .action(async () => {
      const data = await session.data(session.api().listWorkspaces())
      session.show(data, ({ workspaces }) =>
        columns(
          workspaces.map((one) => [
            `${one.organization}/${one.workspace}`,
            one.role,
            one.name,
            one.is_archived ? 'archived' : one.production_sending_enabled ? 'sending is on' : 'sending is off',
          ]),
        ),
      )
    })
}

async function signIn(session: Session, options: GlobalOptions): Promise<void> {
  const { terminal, environment } = session
  const token =
    environment.token ??
    (terminal.isInteractive
      ? await terminal.ask('Token of your wallet: ', { isHidden: true })
      : await terminal.readAll())
  if (token === '') throw new UsageError('There is no token. Type it when you are asked, or pipe it in.')
  const { user, workspaces } = await session.data(session.api(token).getMe())
  const names = workspaces.map(({ organization, workspace }) => `${organization}/${workspace}`)
  const workspace =
    options.workspace ??
    environment.workspace ??
    (names.length === 1 ? names[0] : readStored(environment.settingsFile).workspace)
  if (workspace !== undefined && !names.includes(workspace)) {
    session.exit = exits.no
    terminal.err(`You are not a member of ${workspace}. Your workspaces: ${names.join(', ') || 'none'}\n`)
    return
  }
  writeStored(environment.settingsFile, {
    baseUrl: session.baseUrl(),
    token,
    ...(workspace === undefined ? {} : { workspace }),
  })
  session.show({ user, workspace: workspace ?? null }, () => {
    const next =
      workspace === undefined ? `Choose a workspace with --workspace: ${names.join(', ')}` : `Workspace ${workspace}.`
    return `Signed in as ${user.username ?? user.wallet_user_id}. ${next}\nThe token is in ${environment.settingsFile}, readable only by you.\n`
  })
}
