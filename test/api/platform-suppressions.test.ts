import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { signIn, type Browser } from '@lettergate/gateway/test/console-session'
import { gatewayStage, newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { contact } from '@lettergate/gateway/test/people-and-senders'

const suppressions = '/console/api/platform/suppressions'

let gateway: GatewayStage
let administrator: Browser
beforeAll(async () => {
  gateway = await gatewayStage()
  administrator = await signIn(gateway, 'platform')
})
afterAll(() => gateway.close())

test('an administrator of the platform, a member of no workspace, finds a platform suppression by address and resolves it', async () => {
  const contactId = await contact(gateway)
  const made = await gateway.call('POST', `${newsletter}/contacts/${contactId}/suppress`, {
    as: 'owner',
    body: { scope: 'platform', reason: 'legal', evidence: { note: 'secret of the workspace' } },
  })
  const id = made.json['suppression_id'] as string
  const [person] = await gateway.stage.query<{ email: string }>('select email from contacts.contacts where id = $1', [
    contactId,
  ])
  const { email } = person!
  const found = async (state: string) => {
    const query = new URLSearchParams({ email, state }).toString()
    const { json, text } = await administrator.call('GET', `${suppressions}?${query}`)
    for (const kept of [email, 'secret', contactId]) expect(text).not.toContain(kept)
    return (json['suppressions'] as { id: string }[]).map((one) => one.id)
  }
  expect(await found('unresolved')).toEqual([id])
  expect((await administrator.call('GET', newsletter)).status).toBe(404)

  const resolve = (body: object) => administrator.call('POST', `${suppressions}/${id}/resolve`, { body })
  expect((await resolve({})).status).toBe(422)
  for (const _ of [1, 2]) {
    const { status, json } = await resolve({ resolution_reason: 'asked to' })
    expect([status, json]).toEqual([200, { resolved: true }])
  }
  expect([await found('unresolved'), await found('resolved')]).toEqual([[], [id]])
})
