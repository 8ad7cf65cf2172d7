import type { People, Person } from './add-people.ts'
import { reasonsOf, type Scene } from './scene.ts'
import type { Row } from './table.ts'

/** Why can we not mail this person? The one decision that sending asks too, with every reason that applies. */
export async function whyNot(scene: Scene, people: People, whoLeft: Person): Promise<Row[]> {
  const { api, workspace, round, tell } = scene
  const { contact: stranger } = await api.ok<{ contact: { id: string } }>('POST', `${workspace}/contacts/upsert`, {
    email: `never.asked.r${round}@example.com`,
    source: 'business card',
  })
  await api.ok('POST', `${workspace}/contacts/${stranger.id}/suppress`, { scope: 'workspace', reason: 'legal' })

  const excluded = (reason: string) => people.all.find((person) => person.excludedBy === reason)!.id
  const cases: [string, string, string[]][] = [
    ['signed up on the website', people.all.at(-1)!.id, []],
    ['of an old list, consent unproven', excluded('legacy_consent_unverified'), ['legacy_consent_unverified']],
    ['asked us by telephone to stop', excluded('suppressed_workspace'), ['suppressed_workspace']],
    ['complained to the registrar', excluded('suppressed_platform'), ['suppressed_platform']],
    ['left, then handed in by the form', whoLeft.id, ['suppressed_audience', 'consent_withdrawn', 'not_subscribed']],
    ['never asked, and a lawyer wrote', stranger.id, ['suppressed_workspace', 'consent_missing', 'not_subscribed']],
  ]
  let right = 0
  for (const [who, contactId, expected] of cases) {
    const reasons = (await reasonsOf(scene, contactId, people.audienceId)).join(', ')
    const isRight = reasons === expected.join(', ')
    if (isRight) right += 1
    tell(`${who.padEnd(33)} ${reasons || 'may be mailed'}${isRight ? '' : ` (expected ${expected.join(', ')})`}`)
  }
  return [{ name: 'answers with exactly these reasons', actual: right, expected: cases.length }]
}
