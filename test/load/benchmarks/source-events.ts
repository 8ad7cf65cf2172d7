import { randomUUID } from 'node:crypto'
import { openApi, signInAs } from '@lettergate/demo/api'
import { untilNone, workspace, type Bench } from '../bench.ts'
import { inTurns } from '../in-turns.ts'
import type { Result } from '../result.ts'

const origin = 'https://www.acme.test'

const event = (n: number, audienceId: string) =>
  JSON.stringify({
    schema_version: 'service.subscription-source-event.v1',
    source_event_id: randomUUID(),
    destination_audience_id: audienceId,
    contact: { email: `visitor.${n}@example.test`, first_name: `Name ${n}`, locale: 'en' },
    consent_granted: true,
    captured_at: new Date().toISOString(),
    consent: {
      wording_id: 'newsletter-footer',
      wording_sha256: 'a'.repeat(64),
      privacy_policy_url: 'https://www.acme.test/privacy',
      privacy_policy_version: '3',
    },
    source: {
      form_id: 'footer',
      form_version: '1',
      page_origin: origin,
      evidence_schema_version: 'app.newsletter-consent-capture.v1',
    },
  })

/** A source sends sign-ups of new contacts with its own credential. Each sign-up and its receipt are durable before the answer. */
export async function sourceEvents(bench: Bench): Promise<Result[]> {
  const { stack, api, database, floor, print } = bench
  const name = 'source events'
  print(name)
  const { audience } = await api.ok<{ audience: { id: string } }>('POST', `${workspace}/audiences`, {
    name: 'Sign-ups',
    slug: 'bench-sign-ups',
    purpose: 'measure',
  })
  const owner = openApi(stack.base_url, await signInAs('owner', stack.base_url))
  const { credential } = await owner.ok<{ credential: string }>(
    'POST',
    `${workspace.replace('/api/v1', '/console/api')}/subscription-sources`,
    {
      slug: 'bench-website',
      display_name: 'Website',
      allowed_origins: [origin],
      allows_all_audiences: true,
    },
  )
  await owner.close()

  const compared = await inTurns(
    bench,
    { name, unit: 'event' },
    {
      floor: {
        origin: floor.origin,
        call: (n) => ({
          path: '/source-event',
          headers: { 'idempotency-key': randomUUID() },
          body: event(n, audience.id),
        }),
      },
      ours: {
        origin: stack.base_url,
        call: (n) => ({
          path: `${workspace}/subscription-sources/bench-website/events`,
          headers: { authorization: `Bearer ${credential}`, 'idempotency-key': randomUUID() },
          body: event(n, audience.id),
        }),
        settled: () => untilSealed(database),
      },
    },
  )
  return [{ name, unit: '/s', ...compared, floorIs: 'express 5 and all writes in one transaction each' }]
}

/** Resolves when all consent records are sealed and every event has left the outbox. */
const untilSealed = (database: Bench['database']) =>
  untilNone(database, [
    'select from contacts.unsealed_consent_batches limit 1',
    'select from contacts.outbox_pending limit 1',
  ])
