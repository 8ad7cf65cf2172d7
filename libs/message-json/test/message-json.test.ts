import { create, fromBinary, toBinary, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf'
import { BytesValueSchema, FieldDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { CampaignReportSchema, CampaignRunSchema } from '@lettergate/contracts/campaigns/v1/campaigns'
import { ContactSchema } from '@lettergate/contracts/contacts/v1/contacts'
import { ContentValidationSchema } from '@lettergate/contracts/campaigns/v1/templates'
import { PlatformGateSchema } from '@lettergate/contracts/identity/v1/identity'
import { compileJson } from '../src/message-json.ts'

const free = fc.dictionary(
  fc.stringMatching(/^[a-z]{1,8}$/),
  fc
    .jsonValue({ maxDepth: 3 })
    .map(
      (value) =>
        JSON.parse(
          JSON.stringify(value, (key, inner: unknown) =>
            key === '__proto__' || Object.is(inner, -0) ? undefined : inner,
          ) ?? 'null',
        ) as unknown,
    ),
  { maxKeys: 4, noNullPrototype: true },
)

/** Serializes and parses a message, like the answer of another process. */
const travelled = (desc: DescMessage, init: object) =>
  fromBinary(desc, toBinary(desc, create(desc, init as MessageInitShape<DescMessage>)))

test('has every field, null where it is unset and empty where it is a list or a free object', () => {
  expect(compileJson(ContactSchema)(create(ContactSchema, {}))).toEqual({
    id: '',
    email: '',
    normalized_email: '',
    first_name: null,
    last_name: null,
    company: null,
    country_code: null,
    legacy_consent_classification: null,
    tags: [],
    custom_fields: {},
  })
  expect(compileJson(PlatformGateSchema)(create(PlatformGateSchema, { name: 'x' }))).toEqual({
    name: 'x',
    ceiling: null,
    stored: false,
    effective: false,
    updated_by: null,
    updated_at: null,
  })
})

test('keeps free objects, maps, lists and timestamps unchanged', () => {
  fc.assert(
    fc.property(
      free,
      fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.nat(), { noNullPrototype: true }),
      fc.date({
        noInvalidDate: true,
        min: new Date('0001-01-01T00:00:00Z'),
        max: new Date('9999-12-31T23:59:59.999Z'),
      }),
      (given, counts, at) => {
        const contact = compileJson(ContactSchema)(travelled(ContactSchema, { customFields: given, tags: ['a', 'b'] }))
        expect(contact['custom_fields']).toEqual(given)
        expect(contact['tags']).toEqual(['a', 'b'])
        const report = compileJson(CampaignReportSchema)(
          travelled(CampaignReportSchema, {
            events: counts,
            startedAt: {
              seconds: BigInt(Math.floor(at.getTime() / 1000)),
              nanos: (((at.getTime() % 1000) + 1000) % 1000) * 1_000_000,
            },
          }),
        )
        expect(report['events']).toEqual(counts)
        expect(report['started_at']).toBe(at.toISOString())
        expect(report['completed_at']).toBeNull()
      },
    ),
  )
})

test('a run without exclusions has an empty list of them, not null', () => {
  expect(compileJson(CampaignRunSchema)(create(CampaignRunSchema, { state: 'scheduled' }))).toMatchObject({
    state: 'scheduled',
    scheduled_for: null,
    exclusion_counts: {},
  })
})

test.each([
  ['bytes', BytesValueSchema],
  ['an enum', FieldDescriptorProtoSchema],
])('a message type with %s is refused when it is compiled', (what, desc) => {
  expect(() => compileJson(desc)).toThrow(what)
})

test('leaves out an unset field that is declared so, and shows it once it is set', () => {
  const json = compileJson(ContentValidationSchema)
  expect(Object.keys(json(create(ContentValidationSchema, {})))).not.toContain('source_provenance')
  const sourceProvenance = { source_system: 'old' }
  expect(json(create(ContentValidationSchema, { sourceProvenance }))).toMatchObject({
    source_provenance: sourceProvenance,
  })
})
