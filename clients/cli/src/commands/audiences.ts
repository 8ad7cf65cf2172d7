import type { Command } from 'commander'
import type { Session } from '../session.ts'
import { columns, fields } from '../table.ts'

/** `audiences`: list, show and create. */
export function addAudiences(program: Command, session: Session): void {
  const audiences = program.command('audiences').description('the audiences that contacts subscribe to')
  audiences
    .command('list')
    .description('list the audiences with their ids')
    .action(async () => {
      const data = await session.data(session.workspace().listAudiences())
      session.show(data, (found) =>
        columns(
          found.audiences.map(({ id, slug, name, is_archived }) => [id, slug, name, is_archived ? 'archived' : '']),
        ),
      )
    })
  audiences
    .command('show <audience-id>')
    .description('show an audience with the number of its active members')
    .action(async (audience_id: string) =>
      session.show(await session.data(session.workspace().getAudience({ audience_id })), ({ audience }) =>
        fields({ ...audience }),
      ),
    )
  audiences
    .command('create <slug>')
    .description('create an audience')
    .requiredOption('--name <name>')
    .requiredOption('--purpose <purpose>', 'what its subscribers agree to receive')
    .action(async (slug: string, { name, purpose }: { name: string; purpose: string }) => {
      const data = await session.data(session.workspace().createAudience({ body: { slug, name, purpose } }))
      session.show(data, ({ audience }) => `Created ${audience.slug}: ${audience.id}\n`)
    })
}
