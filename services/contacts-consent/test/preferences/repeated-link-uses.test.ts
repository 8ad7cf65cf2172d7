import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { signPreferenceToken } from '../../src/preferences/preference-token.ts'
import { parseKeyRing } from '../../src/values/key-ring.ts'
import { baseUrl, openContacts, signingKey, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

async function tokenOf(contactId: string, audienceId?: string) {
  const ask = audienceId === undefined ? { scope: 'workspace' } : { scope: 'audience', audienceId }
  const { preferenceUrl } = await s.contacts.createPreferenceToken(s.us, { contactId, ...ask })
  return preferenceUrl.slice(`${baseUrl}/preferences/`.length)
}
const use = (token: string, via = 'preference_page') =>
  s.contacts.usePreferenceLink(s.stage.caller({ actor: 'recipient', actorKind: 'recipient', role: null }), {
    token,
    via,
  })

/** In the order of their ids. The entry for today's repeats comes first. */
const auditsOf = async (contactId: string) =>
  (await s.announced('audit_recorded'))
    .map(({ payload }) => fromBinary(AuditRecordedSchema, payload))
    .filter(({ action, subjectId }) => action === 'preference_link_used' && subjectId === contactId)

const recordOf = async (contactId: string) => ({
  events: (await s.events(contactId)).map(({ kind, scope }) => `${String(kind)} ${String(scope)}`),
  suppressions: await s.suppressions(contactId),
  memberships: await s.stage.query('select * from contacts.memberships where contact_id = $1 order by audience_id', [
    contactId,
  ]),
})

test.each(['audience', 'workspace'])(
  'two hundred uses of one link of the %s, eight at a time, append one withdrawal and are audited as one use and its repeats',
  async (scope) => {
    s.stage.clock.set(new Date())
    const [contact, audience] = [await s.contact(), await s.audience()]
    await s.subscribe(contact, audience)
    const token = await tokenOf(contact, scope === 'audience' ? audience : undefined)
    expect(await use(token)).toMatchObject({ unsubscribed: true, scope })
    const after = await recordOf(contact)
    expect(after.events).toEqual(['granted audience', `withdrawn ${scope}`])
    for (let round = 0; round < 25; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) => use(token, index % 2 === 0 ? 'one_click' : 'preference_page')),
      )
      for (const answer of answers) expect(answer).toMatchObject({ unsubscribed: true, scope })
    }
    expect(await recordOf(contact)).toEqual(after)
    expect((await auditsOf(contact)).map(({ detail }) => detail!['changed'])).toEqual([false, true])
    s.stage.clock.release()
  },
)

test('repeated uses are audited once a day for each link, and counted one by one', async () => {
  const [contact, audience] = [await s.contact(), await s.audience()]
  const token = await tokenOf(contact, audience)
  await use(token)
  s.stage.clock.set(new Date(Date.now() + 86_400_000))
  const other = await tokenOf(contact, audience)
  const repeats = async () =>
    (await s.app.service.metrics.getSingleMetric('lettergate_preference_link_repeats_total')!.get()).values.reduce(
      (sum, { value }) => sum + value,
      0,
    )
  const before = await repeats()
  for (const each of [token, token, other, other]) await use(each)
  expect(await auditsOf(contact)).toHaveLength(3)
  s.stage.clock.advance(86_400_000)
  for (const each of [token, token]) await use(each)
  s.stage.clock.release()
  expect(await auditsOf(contact)).toHaveLength(4)
  expect(await repeats()).toBe(before + 6)
})

test('a used link withdraws a new consent too', async () => {
  const [contact, audience] = [await s.contact(), await s.audience()]
  await s.subscribe(contact, audience)
  const token = await tokenOf(contact, audience)
  await use(token)
  await s.resolve((await s.suppressions(contact))[0]!.id)
  expect(await use(token)).toMatchObject({ unsubscribed: true })
  expect((await s.suppressions(contact)).filter((one) => one.resolved_at === null)).toHaveLength(1)
  await s.resolve((await s.suppressions(contact))[1]!.id)
  await s.subscribe(contact, audience)
  expect(await s.reasons(contact, audience)).toEqual([])
  await use(token)
  expect(await s.reasons(contact, audience)).toEqual(['suppressed_audience', 'consent_withdrawn', 'not_subscribed'])
})

test('any number of uses of a link of a deleted audience is audited once a day', async () => {
  const contact = await s.contact()
  const token = signPreferenceToken(parseKeyRing(signingKey), {
    workspaceId: s.ours,
    contactId: contact,
    audienceId: newId(),
    issuedAt: new Date(),
  })
  s.stage.clock.set(new Date())
  for (let again = 0; again < 5; again += 1) await use(token)
  s.stage.clock.release()
  expect(await auditsOf(contact)).toHaveLength(1)
  expect(await s.events(contact)).toEqual([])
})
