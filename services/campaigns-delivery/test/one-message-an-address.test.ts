import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'

let rig: DeliveryStage
beforeAll(async () => {
  rig = await openDelivery()
})
afterAll(() => rig.close())

test('a run has one message for each address, even if contacts-consent sends it twice', async () => {
  const members = 4_500
  const audience = await rig.audience()
  await rig.members(audience, members)
  await rig.stage.query('alter table contacts.contacts drop constraint contacts_normalized_email')
  // the first and the last recipients, so that the copy is in the same statement or in another one
  await rig.stage.query(
    `update contacts.contacts set normalized_email = 'm1@example.com' where normalized_email in ('m2@example.com', 'm4500@example.com')`,
  )
  const { campaignId } = await rig.draft(audience)
  const { campaignRun } = await rig.campaigns.scheduleCampaign(rig.us, {
    campaignId,
    scheduledFor: timestampFromDate(new Date(Date.now() + 3_600_000)),
    idempotencyKey: newId(),
  })
  expect(campaignRun!.includedCount).toBe(members - 2)
  const [found] = await rig.stage.query<{ recipients: number; addresses: number }>(
    `select count(*)::int as recipients, count(distinct normalized_email)::int as addresses
       from campaigns.run_recipients where run_id = $1`,
    [campaignRun!.id],
  )
  expect(found).toEqual({ recipients: members - 2, addresses: members - 2 })
})

test('each recipient has the contact, audience and address that belong together, in batches of 100', async () => {
  const [first, second] = [await rig.audience(), await rig.audience()]
  await rig.stage.query(
    `with made as (
       insert into contacts.contacts (workspace_id, id, email, normalized_email)
       select $1, gen_random_uuid(), address, address from generate_series(1, 2500) n, lateral (select 'Ö"' || n || ',\\@example.net' as address) a returning id)
     insert into contacts.memberships (workspace_id, audience_id, contact_id, is_active, consent)
     select $1, a.id, made.id, true, 'granted' from made, unnest($2::uuid[]) as a (id)
      where a.id = $3 or substr(made.id::text, 1, 1) < '8'`,
    [rig.us.caller.workspaceId, [first, second], second],
  )
  const { campaignId, contentVersionId } = await rig.draft(first)
  await rig.campaigns.createTargetedCampaignDraftVersion(rig.us, {
    campaignId,
    name: 'Two audiences',
    audienceIds: [first, second],
    senderIdentityId: rig.senderId,
    contentVersionId,
  })
  const { campaignRun } = await rig.campaigns.scheduleCampaign(rig.us, {
    campaignId,
    scheduledFor: timestampFromDate(new Date(Date.now() + 3_600_000)),
    idempotencyKey: newId(),
  })
  const [found] = await rig.stage.query<{ right: number; largest: number; batches: number }>(
    `select count(*) filter (where c.normalized_email = r.normalized_email
                   and r.audience_id = case when substr(c.id::text, 1, 1) < '8' then $2::uuid else $3::uuid end)::int as right,
            (select max(n)::int from (select count(*) as n from campaigns.run_recipients where run_id = $1 group by batch) b) as largest,
            count(distinct r.batch)::int as batches
       from campaigns.run_recipients r join contacts.contacts c on c.id = r.contact_id where r.run_id = $1`,
    [campaignRun!.id, first, second],
  )
  expect(found).toEqual({ right: 2_500, largest: 100, batches: 25 })
})
