import { create, fromBinary, toBinary, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  CreateContentVersionRequestSchema,
  ScheduleCampaignRequestSchema,
} from '@lettergate/contracts/campaigns/v1/campaigns'
import { CreateAudienceRequestSchema } from '@lettergate/contracts/contacts/v1/audiences'
import { UpsertContactRequestSchema, type UpsertContactRequest } from '@lettergate/contracts/contacts/v1/contacts'
import { IngestSubscriptionEventRequestSchema } from '@lettergate/contracts/contacts/v1/subscription_sources'
import { Identity } from '@lettergate/contracts/identity/v1/identity'
import { SetSendingDomainReadinessRequestSchema } from '@lettergate/contracts/sending/v1/sending'
import { Fault } from '@lettergate/fault'
import { compileJson } from '@lettergate/message-json'
import { compileRequest } from './transcode-request.ts'

const none = { path: {}, query: {}, idempotencyKey: undefined }
const text = fc.string({ unit: 'grapheme', maxLength: 20 })
const json = fc
  .jsonValue({ maxDepth: 3 })
  .map(
    (value) =>
      JSON.parse(
        JSON.stringify(value, (key, inner: unknown) =>
          key === '__proto__' || Object.is(inner, -0) ? undefined : inner,
        ) ?? 'null',
      ) as unknown,
  )
const object = fc.dictionary(
  fc.stringMatching(/^[a-z]{1,8}$/),
  json.filter((value) => value !== undefined),
  { maxKeys: 4, noNullPrototype: true },
)

/** Serializes and parses, like a call to another process. */
const travelled = (desc: DescMessage, init: object) =>
  fromBinary(desc, toBinary(desc, create(desc, init as MessageInitShape<DescMessage>)))

const contactBody = fc.record(
  {
    email: text,
    source: text,
    first_name: fc.option(text),
    company: fc.option(text),
    tags: fc.array(text, { maxLength: 5 }),
    custom_fields: object,
    is_legacy: fc.boolean(),
    legacy_consent_evidence: object,
  },
  { requiredKeys: ['email', 'source'], noNullPrototype: true },
)

describe('a request', () => {
  const convert = compileRequest(UpsertContactRequestSchema)

  test('has every given value unchanged, null and absent values unset, and exactly the given names in its mask', () => {
    fc.assert(
      fc.property(contactBody, (body) => {
        const message = travelled(UpsertContactRequestSchema, convert({ ...none, body })) as UpsertContactRequest
        expect(message.email).toBe(body.email)
        expect(message.firstName ?? null).toBe(body.first_name ?? null)
        expect(message.company ?? null).toBe(body.company ?? null)
        expect(message.tags).toEqual(body.tags ?? [])
        expect(message.customFields).toEqual(body.custom_fields)
        expect(message.legacyConsentEvidence).toEqual(body.legacy_consent_evidence)
        expect(message.isLegacy).toBe(body.is_legacy)
        expect(message.updateMask?.paths.toSorted()).toEqual(Object.keys(body).toSorted())
      }),
    )
  })

  test('of any JSON converts or throws a Fault that names a field, and no other error', () => {
    const fields = UpsertContactRequestSchema.fields.map((field) => field.name)
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...fields), json, { noNullPrototype: true }), (body) => {
        try {
          travelled(UpsertContactRequestSchema, convert({ ...none, body }))
        } catch (error) {
          expect(error).toBeInstanceOf(Fault)
          expect(fields.some((field) => (error as Fault).reason.startsWith(field))).toBe(true)
        }
      }),
    )
  })

  test('prefers the path to the query and the query to the body, and has the key of the header', () => {
    const schedule = compileRequest(ScheduleCampaignRequestSchema)
    const init = schedule({
      path: { campaign_id: 'of the path' },
      query: { campaign_id: 'of the query' },
      body: {
        campaign_id: 'of the body',
        scheduled_for: '2030-01-01T02:00:00.123456789+02:00',
        idempotency_key: 'of the body',
      },
      idempotencyKey: 'of the header',
    })
    expect(init).toEqual({
      campaignId: 'of the path',
      idempotencyKey: 'of the header',
      scheduledFor: { seconds: 1893456000n, nanos: 123_456_789 },
    })
  })

  test('has the value of the query, whatever the body says', () => {
    const upsert = compileRequest(UpsertContactRequestSchema)
    const init = upsert({ ...none, query: { create_only: true }, body: { email: 'a@b.test', create_only: false } })
    expect(init).toMatchObject({ email: 'a@b.test', createOnly: true })
  })

  test('has the payload hash of the engine, never of the request', () => {
    const ingest = compileRequest(IngestSubscriptionEventRequestSchema)
    const body = { payload_sha256: 'of the body' }
    expect(ingest({ ...none, body, payloadSha256: 'of the engine' })).toEqual({ payloadSha256: 'of the engine' })
  })

  test('keeps timestamps before 1970 with exact fractions', () => {
    const { scheduledFor } = compileRequest(ScheduleCampaignRequestSchema)({
      ...none,
      body: { scheduled_for: '1969-12-31T23:59:58.5Z' },
    }) as { scheduledFor: object }
    expect(scheduledFor).toEqual({ seconds: -2n, nanos: 500_000_000 })
  })

  test('has no name in its mask that the message does not have, such as one of the path or an unknown one', () => {
    const readiness = compileRequest(SetSendingDomainReadinessRequestSchema)
    expect(
      readiness({
        path: { domain_id: 'd' },
        query: {},
        body: { spf_state: 'verified', notes: null, else: 1, update_mask: 'x' },
        idempotencyKey: undefined,
      }),
    ).toEqual({
      domainId: 'd',
      spfState: 'verified',
      updateMask: { paths: ['spf_state', 'notes'] },
    })
  })

  test('keeps maps of texts', () => {
    const content = compileRequest(CreateContentVersionRequestSchema)
    expect(content({ ...none, body: { personalization_defaults: { first_name: 'friend' } } })).toEqual({
      personalizationDefaults: { first_name: 'friend' },
    })
    expect(() => content({ ...none, body: { personalization_defaults: { first_name: 5 } } })).toThrow(
      'personalization_defaults.first_name must be a text.',
    )
  })

  test('refuses fractions and too large values for a number field', () => {
    for (const value of [1.5, 2_147_483_648, 1e308, '5', true]) {
      expect(() =>
        compileRequest(CreateAudienceRequestSchema)({ ...none, body: { minimum_interval_seconds: value } }),
      ).toThrow('minimum_interval_seconds must be a whole number')
      expect(() => compileRequest(ScheduleCampaignRequestSchema)({ ...none, body: { scheduled_for: value } })).toThrow(
        'scheduled_for must be a date and time',
      )
    }
  })
})

test('request and reply of every rpc of the contracts can be represented in JSON', () => {
  for (const method of Identity.methods) {
    compileRequest(method.input)
    compileJson(method.output)
  }
})
