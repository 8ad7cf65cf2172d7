import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { sha256Of } from '@lettergate/canonical-json'
import { createHash, randomUUID } from 'node:crypto'
import { openContacts, type ContactsStage } from './contacts-stage.ts'

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
export const origin = 'https://shop.example.com'

/** The hash of the payload that the gateway sends. These tests hash the message instead of the JSON. */
export const payloadSha256 = (payload: object): string =>
  sha256Of(JSON.parse(JSON.stringify(payload, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))))

/** An event of a source with only the required fields. */
export const event = (audienceId: string, more: Partial<ReturnType<typeof bare>> = {}) => ({
  ...bare(audienceId),
  ...more,
})

const bare = (audienceId: string) => ({
  schemaVersion: 'service.subscription-source-event.v1',
  sourceEventId: randomUUID() as string,
  destinationAudienceId: audienceId,
  contact: { email: `${randomUUID()}@example.com` } as {
    email: string
    firstName?: string
    lastName?: string
    locale?: string
  },
  consentGranted: true,
  capturedAt: timestampFromDate(new Date(Date.now() - 60_000)),
  consent: {
    wordingId: 'footer-2026',
    wordingSha256: 'a'.repeat(64),
    privacyPolicyUrl: 'https://shop.example.com/privacy',
    privacyPolicyVersion: '7',
  },
  source: {
    formId: 'footer',
    formVersion: '3',
    pageOrigin: origin,
    evidenceSchemaVersion: 'app.newsletter-consent-capture.v1',
  } as {
    formId: string
    formVersion: string
    pageOrigin: string
    evidenceSchemaVersion: string
    popupCampaignId?: string
    popupVersion?: bigint
    attribution?: Record<string, string>
    pagePath?: string
  },
})

let counter = 0

/** A source with a credential; by default for one new audience. */
export async function newSource(
  s: ContactsStage,
  {
    caller = s.us,
    ...more
  }: { caller?: ContactsStage['us']; allowedAudienceIds?: string[]; allowsAllAudiences?: boolean } = {},
) {
  counter += 1
  const slug = `shop-${counter}`
  const audienceId = more.allowedAudienceIds?.[0] ?? (await s.audience(caller))
  const { source, credential } = await s.contacts.createSubscriptionSourceWithCredential(caller, {
    slug,
    displayName: 'The shop',
    allowedOrigins: [origin],
    ...(more.allowsAllAudiences ? {} : { allowedAudienceIds: [audienceId] }),
    ...more,
  })
  const static_ = { credentialSha256: sha256(credential) }
  const ingest = (
    payload: ReturnType<typeof event>,
    idempotencyKey: string = randomUUID(),
    { presented = static_ as object, as = caller } = {},
  ) =>
    s.contacts.ingestSubscriptionEvent(asSource(as), {
      sourceSlug: slug,
      idempotencyKey,
      presented,
      payloadSha256: payloadSha256(payload),
      ...payload,
    })
  return {
    id: source!.id,
    slug,
    audienceId,
    credential,
    presented: static_,
    ingest,
    event: (more = {}) => event(audienceId, more),
  }
}

/** The same workspace, reached by a source. */
export const asSource = (caller: ContactsStage['us']): ContactsStage['us'] => ({
  ...caller,
  caller: { ...caller.caller, actor: 'subscription-source', actorKind: 'source' },
})

export { openContacts, type ContactsStage }
