import type { Contact } from '@lettergate/client'
import type { Command } from 'commander'
import { exits } from '../exit.ts'
import { inWords } from '../reasons.ts'
import type { Session } from '../session.ts'
import { fields } from '../table.ts'

interface UpsertOptions {
  source: string
  firstName?: string
  lastName?: string
  company?: string
  tag?: string[]
}

const contactText = ({ contact }: { contact: Contact }) => fields({ ...contact })

/** `contacts`: add, show, subscribe, unsubscribe, and why a contact can or cannot receive email. */
export function addContacts(program: Command, session: Session): void {
  const contacts = program.command('contacts').description('contacts, their consent and their eligibility')
  const idOf = async (email: string) => (await session.data(session.workspace().lookupContact({ email }))).contact.id

  contacts
    .command('add <email>')
    .description('add a contact, or change the given fields of the one with this address')
    .requiredOption('--source <name>', 'where the contact comes from')
    .option('--first-name <name>')
    .option('--last-name <name>')
    .option('--company <name>')
    .option('--tag <tags...>', 'the complete list of tags')
    .addHelpText('after', '\nAn address is no consent: `contacts subscribe` records it.')
    .action(async (email: string, { source, firstName, lastName, company, tag }: UpsertOptions) => {
      const body = { email, source, first_name: firstName, last_name: lastName, company, tags: tag }
      const data = await session.data(session.workspace().upsertContact({ body }))
      session.show(data, ({ created, contact }) => `${created ? 'Added' : 'Changed'}.\n${contactText({ contact })}`)
    })
  contacts
    .command('show <email>')
    .description('show a contact')
    .action(async (email: string) =>
      session.show(await session.data(session.workspace().lookupContact({ email })), contactText),
    )
  contacts
    .command('eligibility <email> <audience-id>')
    .description('say whether the contact may receive email of an audience now, and every reason against it')
    .addHelpText('after', '\nContacts nobody. The exit status is 0 when the contact is eligible, else 5.')
    .action(async (email: string, audience_id: string) => {
      const contact_id = await idOf(email)
      const data = await session.data(session.workspace().getEligibility({ contact_id, audience_id }))
      if (!data.eligibility.eligible) session.exit = exits.no
      session.show(data, ({ eligibility: { eligible, reasons } }) => {
        const why = reasons.map((reason) => `  ${reason}: ${inWords(reason)}\n`)
        return eligible ? `${email} is eligible.\n` : `${email} is not eligible:\n${why.join('')}`
      })
    })
  contacts
    .command('subscribe <email> <audience-id>')
    .description('record a consent and subscribe the contact')
    .requiredOption('--source <name>', 'where the consent was given')
    .requiredOption('--wording <version>', 'the version of the wording that the contact agreed to')
    .action(async (email: string, audience_id: string, { source, wording }: { source: string; wording: string }) => {
      const body = { contact_id: await idOf(email), source, wording_version: wording }
      const data = await session.data(session.workspace().subscribeContact({ audience_id, body }))
      session.show(
        data,
        ({ consent_event_id }) => `${email} is subscribed. The consent is recorded as ${consent_event_id}.\n`,
      )
    })
  contacts
    .command('unsubscribe <email> <audience-id>')
    .description('withdraw the consent; a repeat is harmless')
    .action(async (email: string, audience_id: string) => {
      const body = { contact_id: await idOf(email), source: 'command line' }
      const data = await session.data(session.workspace().unsubscribeContact({ audience_id, body }))
      session.show(data, () => `${email} is unsubscribed and gets no more email of this audience.\n`)
    })
}
