import { randomUUID } from 'node:crypto'
import { openApi, signInAs } from '@lettergate/local/demo/api'
import { failuresOf, load, workspace, type Bench } from '../bench.ts'
import { drive } from '../drive.ts'
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

/** Sign-ups of new people, handed in by a source with its own credential; each one durable with its receipt before the answer. */
export async function sourceEvents({ stack, api, floor, tell }: Bench): Promise<Result[]> {
  tell(`source events, ${load.connections} connections`)
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

  const alone = await drive(floor.origin, {
    ...load,
    call: (n) => ({
      path: '/source-event',
      headers: { 'idempotency-key': randomUUID() },
      body: event(n, audience.id),
    }),
  })
  const ours = await drive(stack.base_url, {
    ...load,
    call: (n) => ({
      path: `${workspace}/subscription-sources/bench-website/events`,
      headers: { authorization: `Bearer ${credential}`, 'idempotency-key': randomUUID() },
      body: event(n, audience.id),
    }),
  })
  return [
    {
      name: 'source events',
      unit: '/s',
      ours: ours.perSecond,
      floor: alone.perSecond,
      floorIs: 'express 5 and all writes in one transaction each',
      note: failuresOf(ours.failures),
    },
  ]
}
