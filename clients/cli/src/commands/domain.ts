import type { DomainVerifyResponse } from '@lettergate/client'
import type { Command } from 'commander'
import { exits } from '../exit.ts'
import type { Session } from '../session.ts'
import { fields } from '../table.ts'

const textOf = ({ sending_domain: domain, check }: DomainVerifyResponse) => fields({ ...domain, check: check.evidence })

/** `domain`: verification of sending domains. */
export function addDomain(program: Command, session: Session): void {
  const domain = program.command('domain').description('sending domains')
  domain
    .command('add <name>')
    .description('add a domain that the mail provider knows')
    .action(async (domain_name: string) => {
      const data = await session.data(session.workspace().createSendingDomain({ body: { domain_name } }))
      session.show(
        data,
        ({ sending_domain: made }) => `${fields({ ...made })}Next: lettergate domain verify ${made.id}\n`,
      )
    })
  domain
    .command('verify <domain-id>')
    .description('check DNS and the mail provider now; sends nothing')
    .addHelpText('after', '\nThe exit status is 0 when the domain is ready to send, else 5.')
    .action(async (domain_id: string) => {
      const data = await session.data(session.workspace().verifySendingDomain({ domain_id }))
      if (!data.check.is_ready) session.exit = exits.no
      session.show(data, textOf)
    })
}
