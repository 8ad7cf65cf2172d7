import { timestampDate } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'
import { insertFacts, insertHandOff, insertRecipient } from './message-rows.ts'

let rig: DeliveryStage
beforeAll(async () => {
  rig = await openDelivery()
  await rig.worker()
})
afterAll(() => rig.close())

const lastMessages = async (contactId: string, caller = rig.us) =>
  (await rig.campaigns.listLastMessages(caller, { contactId })).lastMessages

/** Sends a run to this audience and waits for its end. */
async function mailed(audienceId: string, whileItWaits?: () => Promise<unknown>) {
  const { campaignId } = await rig.draft(audienceId)
  const { id: runId } = await rig.schedule(campaignId, { inMs: 3_600_000 })
  await whileItWaits?.()
  await rig.begin(runId)
  await until(async () => (await rig.report(runId)).run.state === 'completed', {
    what: 'the run to complete',
  })
  const [handOff] = await rig.stage.query<{ id: string; claimed_at: Date }>(
    "select id, claimed_at from campaigns.hand_offs where origin_id = $1 and state = 'accepted'",
    [runId],
  )
  return { audienceId, campaignId, runId, handOffId: handOff?.id, claimedAt: handOff?.claimed_at }
}
const messageOf = ({ audienceId, campaignId, runId }: Awaited<ReturnType<typeof mailed>>) => ({
  audienceId,
  campaignId,
  runId,
})

test('the newest hand-off of each audience is listed, newest first, only in its own workspace', async () => {
  const [news, offers, quiet] = [await rig.audience(), await rig.audience(), await rig.audience()]
  const ada = await rig.subscriber(news, 'ada@example.org')
  const ben = await rig.subscriber(news, 'ben@example.org')
  for (const audience of [offers, quiet]) await rig.subscriber(audience, 'ada@example.org')
  expect(await lastMessages(ada)).toEqual([])

  await mailed(news)
  const other = await mailed(offers)
  const late = await mailed(news)
  expect(await lastMessages(ada)).toMatchObject([messageOf(late), messageOf(other)])
  expect((await lastMessages(ada)).map(({ handedOffAt }) => timestampDate(handedOffAt!))).toEqual([
    late.claimedAt,
    other.claimedAt,
  ])
  expect(await lastMessages(ben)).toMatchObject([messageOf(late)])
  for (const id of [newId(), 'x']) expect(await lastMessages(id)).toEqual([])
  expect(await lastMessages(ada, rig.stage.caller({ workspaceId: newId() }))).toEqual([])

  const become = (state: string) =>
    rig.stage.query('update campaigns.hand_offs set state = $1 where id = $2', [state, late.handOffId])
  for (const state of ['claimed', 'unknown', 'accepted']) {
    await become(state)
    expect([state, await lastMessages(ada)]).toMatchObject([state, [messageOf(late), messageOf(other)]])
  }
})

test.each(['failed', 'put_back'])(
  'a hand-off that is %s does not count, unless an event proves the message',
  async (state) => {
    const { runId } = await mailed(await rig.audience())
    const [id, contactId] = [newId(), newId()]
    const { workspaceId, connectionId } = rig
    await insertRecipient(rig.stage, { workspaceId, runId, id, contactId, batch: 7 })
    await insertHandOff(rig.stage, {
      workspaceId,
      connectionId,
      state,
      id: newId(),
      originId: runId,
      batch: 7,
      messageIds: [id],
    })
    expect(await lastMessages(contactId)).toEqual([])
    await insertFacts(rig.stage, { workspaceId, originId: runId, messageId: id }, [{ fact: 'delivered' }])
    expect(await lastMessages(contactId)).toMatchObject([{ runId }])
  },
)

test('a skipped recipient has no last message', async () => {
  const audience = await rig.audience()
  const withdrawn = await rig.subscriber(audience, 'kim@example.org')
  const staying = await rig.subscriber(audience, 'lea@example.org')
  const run = await mailed(audience, () =>
    rig.contacts.suppressContact(rig.us, { contactId: withdrawn, scope: 'workspace', reason: 'manual' }),
  )
  expect(await lastMessages(withdrawn)).toEqual([])
  expect(await lastMessages(staying)).toMatchObject([messageOf(run)])
})

test('at most the hundred newest audiences are listed', async () => {
  const audience = await rig.audience()
  const contactId = await rig.subscriber(audience, 'often@example.org')
  const { handOffId } = await mailed(audience)
  await rig.stage.query(
    `with copies as (
       insert into campaigns.run_recipients (workspace_id, id, run_id, batch, contact_id, audience_id, normalized_email)
       select r.workspace_id, gen_random_uuid(), r.run_id, r.batch, r.contact_id, gen_random_uuid(), n || r.normalized_email
         from campaigns.run_recipients r, generate_series(1, 120) n where r.contact_id = $1
       returning id)
     insert into campaigns.hand_offs (workspace_id, id, kind, origin_id, batch, message_ids, connection_id, domain_name, region,
                                      credential_env_key, state, judged_at, claimed_at)
     select h.workspace_id, gen_random_uuid(), h.kind, h.origin_id, h.batch, array[copies.id], h.connection_id, h.domain_name, h.region,
            h.credential_env_key, h.state, h.judged_at, h.claimed_at + row_number() over () * interval '1 second'
       from campaigns.hand_offs h, copies where h.id = $2`,
    [contactId, handOffId],
  )
  const found = await lastMessages(contactId)
  expect(new Set(found.map(({ audienceId }) => audienceId)).size).toBe(100)
  expect(found.map(({ audienceId }) => audienceId)).not.toContain(audience)
})
