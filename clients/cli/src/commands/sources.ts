import type { Source } from '@lettergate/client'
import type { Command } from 'commander'
import type { Session } from '../session.ts'
import { columns, fields } from '../table.ts'

const sourceText = ({ source }: { source: Source }) => fields({ ...source })

/** `sources`: the external forms that may submit sign-ups. */
export function addSources(program: Command, session: Session): void {
  const sources = program.command('sources').description('subscription sources: external forms that submit sign-ups')
  sources
    .command('list')
    .description('list the sources')
    .action(async () => {
      const data = await session.data(session.workspace().listSubscriptionSources())
      session.show(data, (found) =>
        columns(found.sources.map((one) => [one.slug, one.status, one.id, one.allowed_origins.join(', ')])),
      )
    })
  sources
    .command('create <slug>')
    .description('create a source; its credential is issued at the console')
    .requiredOption('--name <name>')
    .requiredOption('--origin <origins...>', 'the origins of the pages with the form, such as https://www.example.org')
    .option('--audience <ids...>', 'the audiences that it may subscribe to; all of the workspace when absent')
    .action(
      async (slug: string, { name, origin, audience }: { name: string; origin: string[]; audience?: string[] }) => {
        const allowed = audience === undefined ? { allows_all_audiences: true } : { allowed_audience_ids: audience }
        const body = { slug, display_name: name, allowed_origins: origin, ...allowed }
        session.show(await session.data(session.workspace().createSubscriptionSource({ body })), sourceText)
      },
    )
  sources
    .command('origins <slug> <origins...>')
    .description('replace the complete list of allowed origins')
    .action(async (source_slug: string, allowed_origins: string[]) => {
      const answer = session.workspace().replaceSubscriptionSourceOrigins({ source_slug, body: { allowed_origins } })
      session.show(await session.data(answer), sourceText)
    })
}
