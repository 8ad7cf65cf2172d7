import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { capabilities, capabilitiesOf, holds, roles } from '@lettergate/gateway/capabilities'
import { campaignsServices } from './campaigns-services.ts'
import { gatewayStage, lab, newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'

/** The table of the specification, repeated here: owner, brand_admin, editor, analyst. */
const table: Record<string, string> = {
  view: 'yes yes yes yes',
  upsert_contacts: 'yes yes yes no',
  delete_contacts: 'yes yes no no',
  approve_imports: 'yes yes no no',
  edit_content: 'yes yes yes no',
  edit_automations: 'yes yes yes no',
  send_test: 'yes yes yes no',
  schedule_campaign: 'yes yes yes no',
  manage_senders: 'yes yes no no',
  pause_delivery: 'yes yes no no',
  resolve_suppressions: 'yes yes no no',
  manage_subscription_sources: 'yes yes no no',
  manage_team_roles: 'yes yes no no',
  manage_audiences: 'yes yes no no',
}
const lostWhenArchived = ['send_test', 'schedule_campaign', 'pause_delivery']

/** One operation for every capability that has a route. */
const id = '0190a3a0-0000-7000-8000-000000000000'
const routes: Record<string, [string, string]> = {
  view: ['GET', `/campaign-runs/${id}`],
  upsert_contacts: ['POST', '/contacts/upsert'],
  approve_imports: ['POST', `/imports/csv/${id}/approve`],
  edit_content: ['POST', '/email-templates'],
  edit_automations: ['POST', '/automations'],
  send_test: ['POST', '/test-sends'],
  schedule_campaign: ['POST', `/campaign-drafts/${id}/schedule`],
  manage_senders: ['POST', '/provider-connections'],
  pause_delivery: ['POST', `/campaign-runs/${id}/pause`],
  resolve_suppressions: ['POST', `/contacts/${id}/suppress`],
  manage_subscription_sources: ['GET', '/subscription-sources'],
}
const consoleOnly = ['delete_contacts', 'manage_team_roles', 'manage_audiences']

test('the matrix equals the specification for each capability and role', () => {
  expect(capabilities).toEqual(Object.keys(table))
  for (const [capability, row] of Object.entries(table)) {
    expect({
      capability,
      row: roles.map((role) => (holds(role, capability as never, false) ? 'yes' : 'no')).join(' '),
    }).toEqual({ capability, row })
  }
})

test('every role loses three capabilities in an archived workspace and keeps the others', () => {
  for (const role of roles) {
    expect(capabilitiesOf(role, true)).toEqual(
      capabilitiesOf(role, false).filter((name) => !lostWhenArchived.includes(name)),
    )
  }
})

describe('over HTTP', () => {
  let gateway: GatewayStage
  beforeAll(async () => {
    gateway = await gatewayStage({}, campaignsServices)
    // every role also in the archived workspace
    await gateway.stage.query(
      `insert into identity.memberships (workspace_id, user_id, role)
       select w.id, u.id, r.role from identity.workspaces w, identity.users u
         join (values ('admin', 'brand_admin'), ('editor', 'editor'), ('analyst', 'analyst')) r (wallet_user_id, role) using (wallet_user_id)
        where w.slug = 'synthetic-lab'`,
    )
  })
  afterAll(() => gateway.close())

  const users: Record<string, string> = { owner: 'wsowner', brand_admin: 'admin', editor: 'editor', analyst: 'analyst' }

  test('every capability has a route, except those of the console only', () => {
    expect([...Object.keys(routes), ...consoleOnly].sort()).toEqual([...capabilities].sort())
  })

  describe.each(roles)('as %s', (role) => {
    test.each(Object.keys(routes))('%s is 403 exactly when the table says no, archived or not', async (capability) => {
      const [method, path] = routes[capability]!
      for (const [workspace, isArchived] of [
        [newsletter, false],
        [lab, true],
      ] as const) {
        const as = isArchived && role === 'owner' ? 'owner' : users[role]!
        // an allowed view calls a service that does not run; an invalid id is refused before that
        const asked = capability === 'view' ? path.replace(id, 'no-id') : path
        const { status, text } = await gateway.call(method, `${workspace}${asked}`, {
          as,
          ...(method === 'GET' ? {} : { body: {} }),
        })
        const allowed = holds(role, capability as never, isArchived)
        expect({ workspace, status: status === 403 }).toEqual({ workspace, status: !allowed })
        if (!allowed) expect(text).toContain(capability)
      }
    })
  })

  test('the workspace lists the same capabilities as the matrix', async () => {
    for (const role of roles) {
      const { json } = await gateway.call('GET', newsletter, { as: users[role]! })
      expect(json['capabilities']).toEqual(capabilitiesOf(role, false))
    }
    const { json } = await gateway.call('GET', lab, { as: 'owner' })
    expect(json['capabilities']).toEqual(capabilitiesOf('owner', true))
  })

  test('a changed role applies to the next request', async () => {
    const set = (role: string) =>
      gateway.stage.query(
        `update identity.memberships m set role = $1 from identity.users u, identity.workspaces w
          where u.id = m.user_id and w.id = m.workspace_id and u.wallet_user_id = 'editor' and w.slug = 'newsletter'`,
        [role],
      )
    const upsert = () => gateway.call('POST', `${newsletter}/contacts/upsert`, { as: 'editor', body: {} })
    expect((await upsert()).status).toBe(422)
    await set('analyst')
    expect((await upsert()).status).toBe(403)
    await set('editor')
    expect((await upsert()).status).toBe(422)
  })

  test('ownership is required in addition to the capability', async () => {
    const activate = (as: string) => gateway.call('POST', `${newsletter}/activate-sending`, { as, body: {} })
    expect((await activate('editor')).text).toContain('manage_senders')
    expect((await activate('admin')).text).toContain('owner of this workspace or of the platform')
    expect((await activate('wsowner')).status).toBe(422)
    expect((await activate('owner')).status).toBe(422)
    const rehearse = (as: string) =>
      gateway.call('POST', `${newsletter}/operations/synthetic-rehearsals`, { as, body: {} })
    expect((await rehearse('wsowner')).status).toBe(403)
    expect((await rehearse('owner')).status).toBe(422)
  })
})
