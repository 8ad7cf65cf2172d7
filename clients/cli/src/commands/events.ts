import type { Command } from 'commander'
import type { Session } from '../session.ts'
import { fields } from '../table.ts'

/** `events`: events of the mail provider. */
export function addEvents(program: Command, session: Session): void {
  const events = program.command('events').description('delivery events of the mail provider')
  events
    .command('replay <event-id>')
    .description('process a stored event again; an event that was processed changes nothing')
    .action(async (event_id: string) =>
      session.show(await session.data(session.workspace().replayProviderEvent({ event_id })), ({ provider_event }) =>
        fields({ ...provider_event }),
      ),
    )
}
