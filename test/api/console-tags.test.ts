import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { signIn, type Browser } from '@lettergate/gateway/test/console-session'
import { gatewayStage, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { contact } from '@lettergate/gateway/test/people-and-senders'

const newsletter = '/console/api/organizations/acme/workspaces/newsletter'
const product = '/console/api/organizations/acme/workspaces/product'
const nobody = '0190a3a0-0000-7000-8000-000000000000'

let gateway: GatewayStage
let editor: Browser
let owner: Browser
beforeAll(async () => {
  gateway = await gatewayStage()
  editor = await signIn(gateway, 'editor')
  owner = await signIn(gateway, 'owner')
})
afterAll(() => gateway.close())

interface Tag {
  id: string
  name: string
  contact_count: number
}
const catalogue = async (workspace = newsletter) => (await owner.call('GET', `${workspace}/tags`)).json['tags'] as Tag[]
const register = async (name: string, workspace = newsletter) =>
  (await owner.call('POST', `${workspace}/tags`, { body: { name } })).json['tag'] as Tag

describe('the catalogue', () => {
  test('is read and added to', async () => {
    const { status, json } = await editor.call('POST', `${newsletter}/tags`, { body: { name: 'VIP' } })
    expect(status).toBe(200)
    expect(json).toEqual({ tag: { id: expect.any(String), name: 'VIP', contact_count: 0 } })
    expect(await catalogue()).toContainEqual(json['tag'])
    const again = await editor.call('POST', `${newsletter}/tags`, { body: { name: 'VIP' } })
    expect(again.status).toBe(409)
    expect(again.text).toContain('exists already')
  })

  test.each([{}, { name: '' }, { name: ' ' }, { name: 'x'.repeat(101) }, { name: 1 }])(
    'refuses %j naming the field',
    async (body) => {
      const { status, text } = await editor.call('POST', `${newsletter}/tags`, { body })
      expect({ status, named: text.includes('name ') }).toEqual({ status: 422, named: true })
    },
  )
})

describe('a rename or merge', () => {
  test('changes contacts, returns their number, and is audited', async () => {
    const contactId = await contact(gateway, { tags: ['before', 'other'] })
    const before = (await catalogue()).find((tag) => tag.name === 'before')!
    const renamed = await owner.call('PATCH', `${newsletter}/tags/${before.id}`, { body: { name: 'after' } })
    expect(renamed).toMatchObject({
      status: 200,
      json: { tag: { id: before.id, name: 'after', contact_count: 1 }, contacts_changed: 1, is_complete: true },
    })
    const taken = await owner.call('PATCH', `${newsletter}/tags/${before.id}`, { body: { name: 'other' } })
    expect(taken.status).toBe(409)
    expect(taken.text).toContain('merge this tag into that one')
    const merged = await owner.call('POST', `${newsletter}/tags/${before.id}/merge`, { body: { into: 'other' } })
    expect(merged).toMatchObject({ status: 200, json: { tag: { name: 'other', contact_count: 1 } } })
    const { json } = await owner.call('GET', `${newsletter}/contacts/${contactId}`)
    expect((json['contact'] as { tags: string[] }).tags).toEqual(['other'])
    const gone = await owner.call('POST', `${newsletter}/tags/${before.id}/merge`, { body: { into: 'other' } })
    expect(gone.status).toBe(404)
  })

  test('of another workspace’s tag is 404, into one 422', async () => {
    const foreign = await register('abroad', product)
    const own = await register('at home')
    const body = { name: 'x' }
    for (const id of [foreign.id, nobody, 'no-id'])
      expect((await owner.call('PATCH', `${newsletter}/tags/${id}`, { body })).status).toBe(404)
    const into = await owner.call('POST', `${newsletter}/tags/${own.id}/merge`, { body: { into: foreign.id } })
    expect({ status: into.status, named: into.text.includes('into names no tag') }).toEqual({
      status: 422,
      named: true,
    })
    expect(await catalogue(product)).toMatchObject([{ name: 'abroad' }])
  })
})

describe('a contact’s tags', () => {
  test('are applied and removed, also with characters that a path must escape', async () => {
    const contactId = await contact(gateway)
    const path = `${newsletter}/contacts/${contactId}/tags`
    for (const tag of ['a/b', 'ünï %20 & co', 'plain']) {
      const { status, json } = await editor.call('POST', path, { body: { tag } })
      expect({ status, tag: (json['tag'] as Tag).name }).toEqual({ status: 200, tag })
      expect((json['contact'] as { id: string; tags: string[] }).tags).toContain(tag)
    }
    for (const tag of ['a/b', 'ünï %20 & co', 'a/b']) {
      const answer = await editor.call('DELETE', `${path}/${encodeURIComponent(tag)}`)
      expect(answer).toMatchObject({ status: 200, json: { deleted: true } })
    }
    const { json } = await editor.call('GET', `${newsletter}/contacts/${contactId}`)
    expect((json['contact'] as { tags: string[] }).tags).toEqual(['plain'])
    expect((await editor.call('DELETE', `${path}/unknown`)).status).toBe(404)
    const events = await gateway.stage.query<{ event: string }>(
      "select event from contacts.outbox where event like 'tag\\_%' order by id",
    )
    expect(events.map(({ event }) => event)).toEqual([
      'tag_added',
      'tag_added',
      'tag_added',
      'tag_removed',
      'tag_removed',
    ])
  })

  test('end at fifty', async () => {
    const contactId = await contact(gateway, { tags: Array.from({ length: 50 }, (_, n) => `n${n}`) })
    const { status, text } = await editor.call('POST', `${newsletter}/contacts/${contactId}/tags`, {
      body: { tag: 'one more' },
    })
    expect({ status, says: text.includes('this contact has 50 tags') }).toEqual({ status: 422, says: true })
  })

  test('of a contact of another workspace or a missing contact are 404', async () => {
    const contactId = await contact(gateway)
    const body = { tag: 'x' }
    for (const address of [
      `${product}/contacts/${contactId}`,
      `${newsletter}/contacts/${nobody}`,
      `${newsletter}/contacts/x`,
    ])
      expect((await owner.call('POST', `${address}/tags`, { body })).status).toBe(404)
  })
})
