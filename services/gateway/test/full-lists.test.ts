import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { signIn, type Browser } from './console-session.ts'
import { gatewayStage, newsletter, type GatewayAnswer, type GatewayStage } from './gateway-stage.ts'
import { consoleNewsletter, origin } from './subscription-sources.ts'

/** A workspace with the maximum of everything that one answer lists. */

let gateway: GatewayStage
let owner: Browser
let workspaceId: string
beforeAll(async () => {
  gateway = await gatewayStage()
  owner = await signIn(gateway, 'owner')
  const [found] = await gateway.stage.query<{ id: string }>(
    `select w.id from identity.workspaces w join identity.organizations o on o.id = w.organization_id
      where o.slug = 'acme' and w.slug = 'newsletter'`,
  )
  workspaceId = found!.id
})
afterAll(() => gateway.close())

const emojis = (length: number) => '\u{1F48C}'.repeat(length)
const insert = (statement: string, ...values: unknown[]) => gateway.stage.query(statement, [workspaceId, ...values])

/** Repeats a request that is 503, which a busy machine can cause. */
const listed = (path: string): Promise<GatewayAnswer> =>
  until(
    async () => {
      const answer = await owner.call('GET', path)
      return answer.status !== 503 && answer
    },
    { what: `an answer to ${path}` },
  )

test.each([
  {
    noun: 'audiences',
    most: 1_000,
    path: `${newsletter}/audiences`,
    fill: () =>
      insert(
        `insert into contacts.audiences (workspace_id, id, name, slug, purpose)
         select $1, gen_random_uuid(), $2, rpad('a-' || n, 500, 'x'), $3 from generate_series(1, 1000) n`,
        emojis(160),
        emojis(500),
      ),
    oneMore: { name: 'One more', slug: 'one-more', purpose: 'x' },
  },
  {
    noun: 'tags',
    most: 10_000,
    path: `${consoleNewsletter}/tags`,
    fill: () =>
      insert(
        `insert into contacts.tags (workspace_id, id, name)
         select $1, gen_random_uuid(), n || $2 from generate_series(1, 10000) n`,
        emojis(95),
      ),
    oneMore: { name: 'one more' },
  },
  {
    noun: 'sources',
    most: 200,
    path: `${newsletter}/subscription-sources`,
    fill: () =>
      insert(
        `insert into contacts.subscription_sources (workspace_id, id, slug, display_name, allows_all_audiences,
                allowed_audience_ids, allowed_origins, created_by)
         select $1, gen_random_uuid(), rpad('s-' || n, 500, 'x'), $2, false,
                array(select gen_random_uuid() from generate_series(1, 500)),
                array(select rpad('https://' || o || '.', 267, 'x') from generate_series(1, 100) o), 'test'
           from generate_series(1, 200) n`,
        emojis(160),
      ),
    oneMore: { slug: 'one-more', display_name: 'One', allowed_origins: [origin], allows_all_audiences: true },
  },
])('$most long $noun fit into one answer, and one more is 422', async ({ noun, most, path, fill, oneMore }) => {
  await fill()
  const answer = await listed(path)
  expect(answer.status).toBe(200)
  expect(answer.json[noun]).toHaveLength(most)
  const refused = await owner.call('POST', path, { body: oneMore })
  expect(refused.status).toBe(422)
  expect(refused.text).toMatch(/a workspace has at most \d+ .*, and this one has them\./)
})
