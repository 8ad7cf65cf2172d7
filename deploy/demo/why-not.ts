import type { People, Person } from './add-people.ts'
import { reasonsOf, type Scene } from './scene.ts'
import type { ReportRow } from './table.ts'

/** Reads the eligibility of six people, with every reason that applies. Sending uses the same decision. */
export async function whyNot(scene: Scene, people: People, formerMember: Person): Promise<ReportRow[]> {
  const { api, workspace, round, print } = scene
  const { contact: neverAsked } = await api.ok<{ contact: { id: string } }>('POST', `${workspace}/contacts/upsert`, {
    email: `never.asked.r${round}@example.com`,
    source: 'business card',
  })
  await api.ok('POST', `${workspace}/contacts/${neverAsked.id}/suppress`, { scope: 'workspace', reason: 'legal' })

  const excluded = (reason: string) => people.all.find((person) => person.excludedBy === reason)!.id
  const cases: [string, string, string[]][] = [
    ['signed up on the website', people.all.at(-1)!.id, []],
    ['on an old list, consent unproven', excluded('legacy_consent_unverified'), ['legacy_consent_unverified']],
    ['asked us by telephone to stop', excluded('suppressed_workspace'), ['suppressed_workspace']],
    ['complained to the registrar', excluded('suppressed_platform'), ['suppressed_platform']],
    [
      'unsubscribed, then signed up by the form',
      formerMember.id,
      ['suppressed_audience', 'consent_withdrawn', 'not_subscribed'],
    ],
    ['never asked, legal objection', neverAsked.id, ['suppressed_workspace', 'consent_missing', 'not_subscribed']],
  ]
  let right = 0
  for (const [person, contactId, expected] of cases) {
    const reasons = (await reasonsOf(scene, contactId, people.audienceId)).join(', ')
    const isRight = reasons === expected.join(', ')
    if (isRight) right += 1
    print(`${person.padEnd(40)} ${reasons || 'eligible'}${isRight ? '' : ` (expected ${expected.join(', ')})`}`)
  }
  return [{ name: 'answers with exactly these reasons', actual: right, expected: cases.length }]
}
