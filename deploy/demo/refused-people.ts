import { eachOf, type Api } from './api.ts'

/** A person who must not get email. The contact of an erased person does not exist. */
export interface RefusedPerson {
  contactId: string
  email: string
  isErased: boolean
}

interface Place {
  api: Api
  browser: Api
  workspace: string
  atConsole: string
  round: number
}

const width = 16
const inEachGroup = 20

/** Adds 100 subscribers and refuses them: 20 unsubscribed, 20 bounced, 20 complained, 20 objected to this newsletter, 20 were erased. */
export async function refusePeople(
  { api, browser, workspace, atConsole, round }: Place,
  audienceId: string,
): Promise<RefusedPerson[]> {
  const suppress = (contactId: string, body: object) =>
    api.ok('POST', `${workspace}/contacts/${contactId}/suppress`, { source: 'demo', ...body })
  const refusals: Record<string, (contactId: string) => Promise<unknown>> = {
    unsubscribed: (contactId) =>
      api.ok('POST', `${workspace}/audiences/${audienceId}/unsubscribe`, { contact_id: contactId, source: 'demo' }),
    bounced: (contactId) => suppress(contactId, { scope: 'workspace', reason: 'hard_bounce' }),
    complained: (contactId) => suppress(contactId, { scope: 'workspace', reason: 'complaint' }),
    objected: (contactId) => suppress(contactId, { scope: 'audience', reason: 'legal', audience_id: audienceId }),
    erased: (contactId) =>
      browser.ok('POST', `${atConsole}/contacts/${contactId}/erase`, { confirmation: `ERASE ${contactId}` }),
  }
  const people: RefusedPerson[] = []
  const wanted = Object.keys(refusals).flatMap((group) =>
    Array.from({ length: inEachGroup }, (_, index) => ({ group, email: `${group}.${index}.r${round}@example.com` })),
  )
  await eachOf(wanted, width, async ({ group, email }, index) => {
    const { contact } = await api.ok<{ contact: { id: string } }>('POST', `${workspace}/contacts/upsert`, {
      email,
      source: 'demo',
    })
    await api.ok('POST', `${workspace}/audiences/${audienceId}/subscribe`, {
      contact_id: contact.id,
      source: 'demo',
      wording_version: '2026-01',
    })
    await refusals[group]!(contact.id)
    people[index] = { contactId: contact.id, email, isErased: group === 'erased' }
  })
  return people
}

/** Why each of these people cannot get email now, in their order; empty for a person who can. */
export async function refusalsOf(
  { api, workspace }: Pick<Place, 'api' | 'workspace'>,
  people: readonly RefusedPerson[],
  audienceId: string,
): Promise<string[]> {
  const refusals: string[] = []
  await eachOf(people, width, async ({ contactId, email, isErased }, index) => {
    if (isErased) {
      const found = await api.call('GET', `${workspace}/contacts/lookup?email=${encodeURIComponent(email)}`)
      refusals[index] = found.status === 404 ? 'is no contact' : ''
      return
    }
    const { eligibility } = await api.ok<{ eligibility: { reasons: string[] } }>(
      'GET',
      `${workspace}/contacts/${contactId}/eligibility/${audienceId}`,
    )
    refusals[index] = eligibility.reasons.join(', ')
  })
  return refusals
}
