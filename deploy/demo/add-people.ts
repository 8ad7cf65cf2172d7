import { eachOf, type Api } from './api.ts'
import { behaviourOf, type DemoContact } from './contacts.ts'

/** A stored contact, and what the demo did to them since. */
export interface Person {
  id: string
  email: string
  normalizedEmail: string
  locale: string
  behaviour: string
  isLegacy: boolean
  /** the eligibility reason that excludes them from campaigns */
  excludedBy?: string
  /** unsubscribed before the campaign: no longer a member */
  left?: boolean
}

export interface People {
  audienceId: string
  all: Person[]
  fromFile: number
  refused: number
}

const width = 32

/** Adds the rows of the file through the public API: contacts, then their consent with its evidence. Malformed rows must get a 422. */
export async function addPeople(
  api: Api,
  workspace: string,
  rows: readonly DemoContact[],
  round: number,
  print: (line: string) => void,
): Promise<People> {
  const { audience } = await api.ok<{ audience: { id: string } }>('POST', `${workspace}/audiences`, {
    name: `Monthly newsletter ${round}`,
    slug: `monthly-newsletter-${round}`,
    purpose: 'News about products, once a month',
  })
  const all: Person[] = []
  const refused: string[] = []
  await eachOf(rows, width, async (row, index) => {
    const { malformed, consent, ...contact } = row
    const answer = await api.call('POST', `${workspace}/contacts/upsert`, {
      ...contact,
      source: 'demo-file',
      source_identifier: `line-${round}-${index}`,
    })
    if (malformed) {
      if (answer.status !== 422 || !answer.text.includes(malformed))
        throw new Error(
          `line ${index + 1} should be refused with 422 naming ${malformed}, not ${answer.status}: ${answer.text}`,
        )
      refused.push(`line ${index + 1}: ${answer.text.slice(0, 120)}`)
      return
    }
    if (answer.status !== 200)
      throw new Error(`line ${index + 1} (${row.email}) answered ${answer.status}: ${answer.text}`)
    const { id, normalized_email: normalizedEmail } = answer.json['contact'] as { id: string; normalized_email: string }
    await api.ok('POST', `${workspace}/audiences/${audience.id}/subscribe`, {
      contact_id: id,
      source: 'website',
      wording_version: consent.wording_version,
      form_identifier: consent.form_identifier,
      evidence: { captured_at: consent.captured_at, page_url: consent.page_url },
    })
    all.push({
      id,
      email: row.email,
      normalizedEmail,
      locale: row.locale,
      behaviour: behaviourOf(row.email),
      isLegacy: row.is_legacy ?? false,
      ...(row.is_legacy ? { excludedBy: 'legacy_consent_unverified' } : {}),
    })
    if (all.length % 500 === 0) print(`${all.length} people with recorded consent`)
  })
  print(`${all.length} people were added, ${refused.length} malformed rows were refused, for example:`)
  for (const line of refused.slice(0, 3)) print(`  ${line}`)
  const sorted = all.toSorted((a, b) => (a.email < b.email ? -1 : 1))
  return { audienceId: audience.id, all: sorted, fromFile: sorted.length, refused: refused.length }
}

/** Suppresses some people at each scope, and unsubscribes others. */
export async function suppressSome(
  api: Api,
  workspace: string,
  people: People,
  print: (line: string) => void,
): Promise<void> {
  const quiet = people.all.filter((person) => person.behaviour === 'delivered' && !person.isLegacy)
  const take = (count: number) => quiet.splice(0, count)
  const suppress = (scope: string, reason: string, extra: object) => async (person: Person) => {
    await api.ok('POST', `${workspace}/contacts/${person.id}/suppress`, { scope, reason, source: 'demo', ...extra })
    person.excludedBy = `suppressed_${scope}`
  }
  await eachOf(take(20), width, suppress('workspace', 'manual', { evidence: { note: 'asked by telephone' } }))
  await eachOf(take(8), width, suppress('audience', 'legal', { audience_id: people.audienceId }))
  await eachOf(take(3), width, suppress('platform', 'complaint', { evidence: { note: 'complained to the registrar' } }))
  await eachOf(take(10), width, async (person) => {
    await api.ok('POST', `${workspace}/audiences/${people.audienceId}/unsubscribe`, {
      contact_id: person.id,
      source: 'demo',
    })
    person.left = true
  })
  const blocked = people.all.find((person) => person.excludedBy === 'suppressed_workspace')!
  const again = await api.call('POST', `${workspace}/audiences/${people.audienceId}/subscribe`, {
    contact_id: blocked.id,
    source: 'demo',
    wording_version: '2026-01',
  })
  if (again.status !== 422) throw new Error(`subscribing a suppressed person answered ${again.status}`)
  print(
    `20 suppressed in the workspace, 8 in the audience, 3 on the platform; 10 unsubscribed. Subscribing a suppressed person is refused:`,
  )
  print(`  “${again.text.slice(0, 200)}”`)
}
