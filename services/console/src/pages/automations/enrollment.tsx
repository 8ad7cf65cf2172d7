import type { Enrollment, EnrollmentTimelineEvent, EnrollmentTimelineStep } from '@lettergate/client'
import { Alert, Text, Timeline } from '@mantine/core'
import { useParams } from 'wouter'
import { ActButton } from '../../dialogs/act-button.tsx'
import { spanOf } from '../../parts/duration.ts'
import { explained } from '../../parts/explanations.ts'
import { isGone } from '../../parts/failed-reads.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { ReadNotices } from '../../parts/read-notices.tsx'
import { Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { inWords } from '../../parts/words.ts'
import { RoleNote } from '../../session/role-note.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { nodeTypes } from './step-fields.ts'

/** One person in an automation: every step with its result, what is next, and the controls. */
export default function EnrollmentPage() {
  const { id } = useParams<{ id: string }>()
  const { name, api } = useWorkspace()
  const answer = useAnswer([name, 'enrollment', id], (options) => api.getEnrollment({ enrollment_id: id }, options), {
    everyMs: 5_000,
  })
  const enrollment = answer.data?.enrollment
  const automationId = enrollment?.automation_id ?? ''
  const automation = useAnswer(
    [name, 'automation', automationId],
    (options) => api.getAutomation({ automation_id: automationId }, options),
    { enabled: automationId !== '' },
  )
  return (
    <Page
      title="Enrollment"
      about={
        enrollment && (
          <>
            <StateBadge state={enrollment.state} /> in{' '}
            <PageLink to={`/automations/${automationId}`}>
              {automation.data?.automation.name ?? 'this automation'}
            </PageLink>
          </>
        )
      }
      actions={enrollment && <Acts enrollment={enrollment} />}
    >
      <RoleNote needs="pause_delivery" />
      <Loaded answer={answer}>{(data) => <History enrollment={data.enrollment} />}</Loaded>
    </Page>
  )
}

type Entry =
  | { at: string; kind: 'event'; event: EnrollmentTimelineEvent }
  | { at: string; kind: 'step'; step: EnrollmentTimelineStep }

/** Of entries at the same time: the enrollment is before its steps, and its end after them. */
const rankOf = (entry: Entry) => (entry.kind === 'step' ? 1 : entry.event.event === 'enrolled' ? 0 : 2)

const stepTypeInWords = (type: string) => nodeTypes.find(({ value }) => value === type)?.label ?? inWords(type)

/** The reason of an event: one that the service names, or the words of a person. */
const reasonInWords = (reason: string) =>
  reason === 'virtual_clock'
    ? 'with a virtual clock'
    : ['contact_erased', 'contact_deleted'].includes(reason)
      ? explained(reason).means
      : reason

function History({ enrollment }: { enrollment: Enrollment }) {
  const { name, console } = useWorkspace()
  const contactId = enrollment.events.find(({ contact_id }) => contact_id)?.contact_id ?? ''
  const contact = useAnswer(
    [name, 'contact', contactId],
    (options) => console.getContact({ contact_id: contactId }, options),
    { enabled: contactId !== '' },
  )
  const isErased = isGone(contact.error)
  const entries: Entry[] = [
    ...enrollment.events.map((event): Entry => ({ at: event.at, kind: 'event', event })),
    ...enrollment.steps.map((step): Entry => ({ at: step.started_at, kind: 'step', step })),
  ].toSorted((one, other) => one.at.localeCompare(other.at) || rankOf(one) - rankOf(other))
  return (
    <>
      {enrollment.synthetic && <RehearsalNote enrollment={enrollment} />}
      {enrollment.waiting_reason && (
        <Alert color="orange" title="The next step waits">
          {explained(enrollment.waiting_reason).means}
        </Alert>
      )}
      {enrollment.due_at && (
        <Text size="sm">
          The next step is due <Moment at={enrollment.due_at} />.
        </Text>
      )}
      <Section title="What happened">
        {contactId !== '' && !isErased && <ReadNotices of={[contact]} />}
        <Timeline active={entries.length} bulletSize={14} lineWidth={2}>
          {entries.map((entry) =>
            entry.kind === 'event' ? (
              <Timeline.Item key={`${entry.at} ${entry.event.event}`} title={inWords(entry.event.event)}>
                <Text size="sm">
                  <Moment at={entry.at} />
                  {entry.event.actor && `, by ${entry.event.actor}`}
                  {entry.event.reason && `: ${reasonInWords(entry.event.reason)}`}
                </Text>
                {entry.event.contact_id && (
                  <Text size="sm">
                    {isErased ? (
                      'The contact was deleted or erased'
                    ) : (
                      <PageLink to={`/contacts/${entry.event.contact_id}`}>
                        {contact.data?.contact.email ?? 'See the contact'}
                      </PageLink>
                    )}
                  </Text>
                )}
              </Timeline.Item>
            ) : (
              <Timeline.Item
                key={entry.step.step_id}
                title={`${stepTypeInWords(entry.step.node_type)}: ${entry.step.node_key}`}
              >
                <Text size="sm">
                  <Moment at={entry.at} />,{' '}
                  {entry.step.outcome ? inWords(entry.step.outcome).toLowerCase() : 'not finished'}
                  {entry.step.branch && `, branch ${entry.step.branch}`}
                  {entry.step.waits_until && (
                    <>
                      , until <Moment at={entry.step.waits_until} />
                    </>
                  )}
                </Text>
                {entry.step.reasons.map((reason) => (
                  <Text key={reason} size="sm" c="dimmed">
                    {explained(reason).means} {explained(reason).remedy}
                  </Text>
                ))}
              </Timeline.Item>
            ),
          )}
        </Timeline>
      </Section>
    </>
  )
}

const hasVirtualClock = ({ events }: Enrollment): boolean =>
  events.some(({ event, reason }) => event === 'enrolled' && reason === 'virtual_clock')

/** Says that nobody got an email, and how much time passed on the virtual clock. */
function RehearsalNote({ enrollment }: { enrollment: Enrollment }) {
  const isVirtual = hasVirtualClock(enrollment)
  const end = enrollment.events.at(-1)?.at ?? enrollment.enrolled_at
  const span = spanOf((Date.parse(end) - Date.parse(enrollment.enrolled_at)) / 1_000)
  return (
    <Alert color="indigo" title="A rehearsal with a contact who does not exist">
      No email was sent; each is simulated.{' '}
      {isVirtual && `The times are those of a virtual clock, on which ${span || 'no time'} passed.`}
    </Alert>
  )
}

/** What can be done to an enrollment in its state. */
function Acts({ enrollment }: { enrollment: Enrollment }) {
  const { api, may } = useWorkspace()
  const enrollment_id = enrollment.id
  const reason = {
    reason: { kind: 'text', label: 'Reason', about: 'Shown in the timeline.', isRequired: false },
  } as const
  if (!may('pause_delivery')) return null
  const control = (action: 'pause' | 'resume' | 'cancel', words: string) =>
    api.controlEnrollment({ enrollment_id, action, body: words ? { reason: words } : {} })
  const isOpen = ['active', 'waiting'].includes(enrollment.state)
  const finished = enrollment.steps.filter((step) => step.finished_at !== null)
  return (
    <>
      {isOpen && (
        <ActButton
          label="Pause"
          title="Pause this enrollment?"
          act="Pause it"
          consequences={['The contact stays at this step until somebody resumes it.']}
          fields={reason}
          run={(values) => control('pause', values.reason)}
        />
      )}
      {enrollment.state === 'paused' && (
        <ActButton
          label="Resume"
          title="Resume this enrollment?"
          act="Resume it"
          consequences={['A step that became due meanwhile is done at once.']}
          fields={reason}
          run={(values) => control('resume', values.reason)}
        />
      )}
      {enrollment.state === 'failed' && !hasVirtualClock(enrollment) && (
        <ActButton
          label="Replay"
          title="Repeat a step?"
          act="Replay it"
          isDangerous
          consequences={['The contact goes on from this step. An email of it may be sent a second time.']}
          fields={{
            step: {
              kind: 'choice',
              label: 'Step',
              about: 'Without one, the step that failed.',
              isRequired: false,
              choices: finished.map((step) => ({ value: step.step_id, label: `${step.number}: ${step.node_key}` })),
            },
            ...reason,
          }}
          run={(values) =>
            api.controlEnrollment({
              enrollment_id,
              action: 'replay',
              body: {
                ...(values.step ? { step_id: values.step } : {}),
                ...(values.reason ? { reason: values.reason } : {}),
              },
            })
          }
        />
      )}
      {(isOpen || ['paused', 'failed'].includes(enrollment.state)) && (
        <ActButton
          label="Cancel"
          title="Cancel this enrollment?"
          act="Cancel the enrollment"
          isDangerous
          consequences={['The contact gets no further step of this automation. This cannot be undone.']}
          fields={reason}
          run={(values) => control('cancel', values.reason)}
        />
      )}
    </>
  )
}
