import { expect, test } from '@jest/globals'
import { parseMapping } from '../src/mapping.ts'
import { ReconstructionRefusal } from '../src/refusal.ts'

const read = (mapping: object) => parseMapping(Buffer.from(JSON.stringify(mapping)), 'mapping.json')

test('ids are UUIDs of any version in either case, as in the API, and are used in lower case', () => {
  const { audiences, senders } = read({
    audiences: {
      news: '0197F000-AAAA-7BBB-8CCC-0123456789AB',
      'old list': { audience_id: 'AAAAAAAA-BBBB-0CCC-0DDD-EEEEEEEEEEEE', wording_version: '2019', source: 'form' },
    },
    senders: { default: 'aaaaaaaa-bbbb-0ccc-0ddd-eeeeeeeeeeee' },
  })
  expect(audiences).toEqual({
    news: { audience_id: '0197f000-aaaa-7bbb-8ccc-0123456789ab', consent: undefined },
    'old list': {
      audience_id: 'aaaaaaaa-bbbb-0ccc-0ddd-eeeeeeeeeeee',
      consent: { wording_version: '2019', source: 'form' },
    },
  })
  expect(senders).toEqual({ default: 'aaaaaaaa-bbbb-0ccc-0ddd-eeeeeeeeeeee' })
})

test('a text that is no UUID is refused with its place in the mapping', () => {
  expect(() => read({ senders: { default: 'urn:uuid:0197f000-aaaa-7bbb-8ccc-0123456789ab' } })).toThrow(
    ReconstructionRefusal,
  )
  expect(() => read({ senders: { default: 'the sender' } })).toThrow(/senders\.default/)
})
