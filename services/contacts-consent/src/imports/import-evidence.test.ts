import { expect, test } from '@jest/globals'
import { canonicalJson } from '@lettergate/canonical-json'
import fc from 'fast-check'
import { canonicalRowEvidence, rowEvidence } from './import-evidence.ts'

test('the evidence of a row is the same text as RFC 8785 JSON of the whole object', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('"row_number":0', '"captured_at":""', '\\"', 'ü😀'))
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('a', 'approved_by', 'captured', 'row', 'source_label', 'zebra'), text),
      fc.integer({ min: 1, max: 10_000_000 }),
      fc.constantFrom(null, '2024-03-01T10:00:00+01:00', '2024-03-01t10:00:00z'),
      (shared, rowNumber, capturedAt) => {
        expect(canonicalRowEvidence(shared)(rowNumber, capturedAt)).toBe(
          canonicalJson(rowEvidence(shared, rowNumber, capturedAt)),
        )
      },
    ),
  )
})
