import { newId } from '@lettergate/database'
import type { ContactsStage } from '../contacts-stage.ts'

type Sent = Parameters<ContactsStage['contacts']['applyAutomationSteps']>[1]['steps'] & object
export type Effect = NonNullable<Sent[number]['effect']>

/** Steps of one automation and one enrollment, as the automations service sends them. */
export function automationSteps(s: ContactsStage) {
  const automationId = newId()
  const enrollmentId = newId()
  const step = (contactId: string, effect: Effect, stepId = newId()) => ({
    stepId,
    enrollmentId,
    automationId,
    contactId,
    effect,
  })
  const apply = async (steps: Sent, caller = s.us) =>
    (await s.contacts.applyAutomationSteps(caller, { steps })).steps.map(({ outcome, reasons }) =>
      reasons.length === 0 ? outcome : `${outcome} ${reasons.join()}`,
    )
  return {
    automationId,
    enrollmentId,
    step,
    apply,
    /** One step for a contact; its outcome with the reasons. */
    one: async (contactId: string, effect: Effect, caller = s.us) =>
      (await apply([step(contactId, effect)], caller))[0]!,
    describe: async (contactId: string, caller = s.us) =>
      (await s.contacts.describeAutomationContacts(caller, { contactIds: [contactId] })).contacts[0],
  }
}

export const addTag = (tag: string): Effect => ({ case: 'addTag', value: { tag } })
export const removeTag = (tag: string): Effect => ({ case: 'removeTag', value: { tag } })
export const addAudience = (audienceId: string): Effect => ({
  case: 'addAudience',
  value: { audienceId, wordingVersion: 'v7', source: 'welcome series' },
})
export const removeAudience = (audienceId: string): Effect => ({ case: 'removeAudience', value: { audienceId } })
export const adjustScore = (amount: number): Effect => ({ case: 'adjustScore', value: { amount } })

type Kind =
  { case: 'nullValue'; value: 0 } | { case: 'stringValue'; value: string } | { case: 'numberValue'; value: number }

const kindOf = (value: string | number | null): Kind => {
  if (value === null) return { case: 'nullValue', value: 0 }
  return typeof value === 'string' ? { case: 'stringValue', value } : { case: 'numberValue', value }
}

export const updateField = (field: string, value: string | number | null): Effect => ({
  case: 'updateField',
  value: { field, value: { kind: kindOf(value) } },
})

/** Tables that jobs change by themselves. */
const ofJobs = new Set(['outbox_pending', 'outbox_published', 'relay_state', 'inbox', 'unsealed_consent_batches'])
const ofSeals = new Set(['consent_seals', 'consent_record_checks', 'mikro_orm_migrations'])

/** The content of every table of the schema, as a hash. */
async function contents(s: ContactsStage): Promise<Map<string, string>> {
  const tables = await s.stage.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'contacts' order by 1`,
  )
  const hashes = new Map<string, string>()
  for (const { name } of tables) {
    if (ofJobs.has(name) || ofSeals.has(name)) continue
    const [row] = await s.stage.query<{ hash: string }>(
      `select md5(coalesce(string_agg(md5(t::text), ',' order by t::text), '')) as hash from contacts.${name} t`,
    )
    hashes.set(name, row!.hash)
  }
  return hashes
}

/** The tables that work changes, by name. */
export async function tablesChangedBy(s: ContactsStage, work: () => Promise<unknown>): Promise<string[]> {
  const before = await contents(s)
  await work()
  const after = await contents(s)
  return [...after.keys()].filter((name) => before.get(name) !== after.get(name))
}
