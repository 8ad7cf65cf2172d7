import { expect, test } from '@jest/globals'
import { create, toBinary } from '@bufbuild/protobuf'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { payloadIds } from './payload-ids.ts'

const id = '0195f7e0-0000-7000-8000-000000000001'
const other = '0195f7e0-0000-7000-8000-000000000002'

test('only ids are shown, including nested ones, and no other text from an id field', () => {
  const payload = toBinary(
    AuditRecordedSchema,
    create(AuditRecordedSchema, {
      action: 'thing_done',
      subjectType: 'thing',
      subjectId: id,
      actor: 'ada@example.com',
      detail: { person_id: 'ada@example.com', thing_ids: [id, other], name: 'Ada', note: other },
    }),
  )
  expect(payloadIds('audit_recorded', payload)).toEqual({ subject_id: id, thing_ids: [id, other] })
})

test('an unknown event and an unreadable payload show nothing', () => {
  expect(payloadIds('never_heard_of', new Uint8Array())).toEqual({})
  expect(payloadIds('audit_recorded', new Uint8Array([255]))).toEqual({})
})
