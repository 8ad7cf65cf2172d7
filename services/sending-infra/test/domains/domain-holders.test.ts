import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { migrate } from '@lettergate/database/migrate'
import { openStage } from '@lettergate/stage'
import { schema } from '../../src/db/migrations.ts'
import { faultOf, sendingStage, type SendingStage } from '../sending-stage.ts'

let rig: SendingStage
beforeAll(async () => void (rig = await sendingStage()))
afterAll(() => rig.close())

type Owner = ReturnType<SendingStage['owner']>
/** A workspace of the organization with an active connection, so that it can add any domain of the provider. */
async function workspaceOf(organization: string): Promise<Owner> {
  const ctx = rig.owner(organization)
  await rig.connection(ctx)
  return ctx
}
let names = 0
async function knownName(): Promise<string> {
  names += 1
  const name = `held-${names}.acme.test`
  await rig.sim('PUT', `/domains/${name}`, {})
  return name
}
const add = async (ctx: Owner, domainName: string) =>
  (await rig.sending.createSendingDomain(ctx, { domainName })).sendingDomain!.id
const remove = (ctx: Owner, domainId: string) => rig.sending.deleteSendingDomain(ctx, { domainId })
const holderOf = async (name: string) =>
  (
    await rig.stage.query<{ organization: string; domains: number; there: number }>(
      `select organization, domains, (select count(*)::int from sending.sending_domains where domain_name = $1) as there
         from sending.domain_holders where domain_name = $1`,
      [name],
    )
  )[0]

describe('a name belongs to an organization', () => {
  test('while any of its workspaces has it, and then to the first organization that adds it', async () => {
    const name = await knownName()
    const [first, second, otherOwner] = [
      await workspaceOf('acme'),
      await workspaceOf('acme'),
      await workspaceOf('globex'),
    ]
    const [one, other] = [await add(first, name), await add(second, name)]
    expect(await faultOf(add(otherOwner, name))).toMatchObject({ code: 'conflict', reason: 'domain_name' })

    await remove(first, one)
    expect(await faultOf(add(otherOwner, name))).toMatchObject({ code: 'conflict', reason: 'domain_name' })
    await remove(first, await add(first, name))
    await remove(second, other)
    expect(await holderOf(name)).toBeUndefined()

    await add(otherOwner, name)
    expect(await holderOf(name)).toMatchObject({ organization: 'globex', domains: 1 })
    expect(await faultOf(add(first, name))).toMatchObject({ code: 'conflict', reason: 'domain_name' })
  })

  test('and releasing it is in the audit log', async () => {
    const name = await knownName()
    const [first, second] = [await workspaceOf('acme'), await workspaceOf('acme')]
    await remove(first, await add(first, name).then(async (id) => (await add(second, name), id)))
    const released = async ({ workspaceId }: Owner) =>
      (
        await rig.stage.query<{ payload: Buffer }>(
          `select payload from sending.outbox where event = 'audit_recorded' and workspace_id = $1 order by id`,
          [workspaceId],
        )
      )
        .map(({ payload }) => fromBinary(AuditRecordedSchema, payload))
        .filter(({ action }) => action === 'sending_domain_deleted')
        .map(({ detail }) => detail)
    expect(await released(first)).toEqual([{ domain_name: name, name_released: false }])
    const { sendingDomains } = await rig.sending.listSendingDomains(second, {})
    await remove(second, sendingDomains[0]!.id)
    expect(await released(second)).toEqual([{ domain_name: name, name_released: true }])
  })

  test('and to only one, with concurrent additions and deletions', async () => {
    const [first, second, otherOwner] = [
      await workspaceOf('acme'),
      await workspaceOf('acme'),
      await workspaceOf('globex'),
    ]
    const organizations = new Map([first, second].map(({ workspaceId }) => [workspaceId, 'acme']))
    organizations.set(otherOwner.workspaceId, 'globex')
    for (let round = 0; round < 8; round += 1) {
      const name = await knownName()
      const id = await add(first, name)
      await Promise.allSettled([remove(first, id), add(otherOwner, name), add(second, name)])
      const holder = await holderOf(name)
      const rows = await rig.stage.query<{ workspace_id: string }>(
        'select workspace_id from sending.sending_domains where domain_name = $1',
        [name],
      )
      const having = new Set(rows.map((row) => organizations.get(row.workspace_id)))
      expect([...having]).toEqual(holder ? [holder.organization] : [])
      expect(holder?.domains).toBe(holder?.there)
    }
  })

  test('and to none after its last two workspaces delete it concurrently', async () => {
    const [first, second] = [await workspaceOf('acme'), await workspaceOf('acme')]
    for (let round = 0; round < 8; round += 1) {
      const name = await knownName()
      const [one, other] = [await add(first, name), await add(second, name)]
      await Promise.all([remove(first, one), remove(second, other)])
      expect(await holderOf(name)).toBeUndefined()
    }
  })
})

test('names of earlier releases are counted, and names without a domain are released', async () => {
  const before = schema.migrations.findIndex(({ name }) => name === '006-released-names')
  const stage = await openStage({ schemas: [{ ...schema, migrations: schema.migrations.slice(0, before) }] })
  try {
    await stage.query(
      `insert into sending.sending_domains (id, workspace_id, domain_name, provider_records, created_by)
       select gen_random_uuid(), gen_random_uuid(), 'twice.test', '[]', 'test' from generate_series(1, 2)`,
    )
    await stage.query(
      `insert into sending.domain_holders (domain_name, organization) values ('twice.test', 'acme'), ('gone.test', 'acme')`,
    )
    await migrate(stage.adminUrl, schema)
    expect(await stage.query('select domain_name, domains from sending.domain_holders')).toEqual([
      { domain_name: 'twice.test', domains: 2 },
    ])
  } finally {
    await stage.close()
  }
})
