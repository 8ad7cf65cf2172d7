import type { ServiceSchema } from '@lettergate/database/migrate'
import { Events } from './migrations/001-events.ts'
import { DeadLetterStates } from './migrations/002-dead-letter-states.ts'
import { OutboxWrittenOnce } from './migrations/003-outbox-written-once.ts'
import { Automations } from './migrations/004-automations.ts'
import { Enrollments } from './migrations/005-enrollments.ts'
import { NodeCounts } from './migrations/006-node-counts.ts'
import { VirtualClock } from './migrations/007-virtual-clock.ts'
import { AudienceOfSteps } from './migrations/008-audience-of-steps.ts'
import { ErasedContacts } from './migrations/009-erased-contacts.ts'
import { WaitingReason } from './migrations/010-waiting-reason.ts'
import { StepsWithMessages } from './migrations/011-steps-with-messages.ts'
import { FailedAttempts } from './migrations/012-failed-attempts.ts'
import { ErasedReasons } from './migrations/013-erased-reasons.ts'
import { Publications } from './migrations/014-publications.ts'
import { ComparedValues } from './migrations/015-compared-values.ts'
import { ReferencesByKey } from './migrations/016-references-by-key.ts'
import { EnrollmentsOfContact } from './migrations/017-enrollments-of-contact.ts'
import { OutboxHeadersAsText } from './migrations/018-outbox-headers-as-text.ts'
import { OutboxGroups } from './migrations/019-outbox-groups.ts'

export const schema: ServiceSchema = {
  service: 'automations',
  schema: 'automations',
  role: 'automations',
  migrations: [
    { name: '001-events', class: Events },
    { name: '002-dead-letter-states', class: DeadLetterStates },
    { name: '003-outbox-written-once', class: OutboxWrittenOnce },
    { name: '004-automations', class: Automations },
    { name: '005-enrollments', class: Enrollments },
    { name: '006-node-counts', class: NodeCounts },
    { name: '007-virtual-clock', class: VirtualClock },
    { name: '008-audience-of-steps', class: AudienceOfSteps },
    { name: '009-erased-contacts', class: ErasedContacts },
    { name: '010-waiting-reason', class: WaitingReason },
    { name: '011-steps-with-messages', class: StepsWithMessages },
    { name: '012-failed-attempts', class: FailedAttempts },
    { name: '013-erased-reasons', class: ErasedReasons },
    { name: '014-publications', class: Publications },
    { name: '015-compared-values', class: ComparedValues },
    { name: '016-references-by-key', class: ReferencesByKey },
    { name: '017-enrollments-of-contact', class: EnrollmentsOfContact },
    { name: '018-outbox-headers-as-text', class: OutboxHeadersAsText },
    { name: '019-outbox-groups', class: OutboxGroups },
  ],
}
