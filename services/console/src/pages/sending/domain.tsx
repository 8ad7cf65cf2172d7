import type {
  ListedDomainCheck,
  ListedSendingDomain,
  SendingDomainDetailsResponse,
  SendingDomainRecord,
} from '@lettergate/client/console'
import { Alert, Code, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useParams } from 'wouter'
import { CopyButton } from '../../parts/copy-button.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { Facts, Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { counted, inWords } from '../../parts/words.ts'
import { RoleNote } from '../../session/role-note.tsx'
import { useAnswer, usePages } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { DomainActs } from './domain-acts.tsx'
import { evidenceOf, isValue, subjectInWords } from './evidence.ts'

/** One domain: which records are expected, what was found, and what to do. */
export default function DomainPage() {
  const { id } = useParams<{ id: string }>()
  const { name, console } = useWorkspace()
  const [refused, setRefused] = useState<readonly string[]>([])
  const answer = useAnswer([name, 'domain', id], (options) => console.getSendingDomain({ domain_id: id }, options))
  return (
    <Page
      title={answer.data?.sending_domain.domain_name ?? 'Sending domain'}
      about={answer.data && <StateBadge state={answer.data.sending_domain.is_ready ? 'ready' : 'not ready'} />}
      actions={answer.data && <DomainActs details={answer.data} onRefused={setRefused} />}
    >
      <RoleNote needs="manage_senders" />
      {refused.length > 0 && (
        <Alert color="orange" role="status" title={`${counted(refused.length, 'webhook')} refused`}>
          {refused.map(inWords).join(', ')}: the provider has three addresses for each already. Remove one there, then
          register again.
        </Alert>
      )}
      <Loaded answer={answer}>{(data) => <Details data={data} />}</Loaded>
    </Page>
  )
}

function Details({ data }: { data: SendingDomainDetailsResponse }) {
  const domain = data.sending_domain
  return (
    <>
      <Section title="Readiness">
        <Facts
          of={[
            ...(['verification', 'spf', 'dkim', 'dmarc', 'alignment', 'quota'] as const).map(
              (part) => [subjectInWords(part), <StateBadge key={part} state={domain[`${part}_state`]} />] as const,
            ),
            ['Webhooks', domain.webhooks_registered ? 'All eight are registered' : 'Missing: register them'],
            ['Connection', domain.provider_connection_name ?? 'None'],
            ['Tracking domain', data.tracking_domain],
            ['Notes', data.notes],
            ['Checked', <Moment key="at" at={domain.checked_at} none="Never" />],
            ['Next automatic check', domain.recheck_at && <Moment key="re" at={domain.recheck_at} />],
          ]}
        />
      </Section>
      <Records data={data} />
      {data.last_check && <Evidence check={data.last_check} />}
      <History domainId={domain.id} />
    </>
  )
}

/** The least that a DMARC record must say. The provider does not name it. */
const dmarcRecord = ({ domain_name, dmarc_state }: ListedSendingDomain): SendingDomainRecord => ({
  name: `_dmarc.${domain_name}`,
  type: 'TXT',
  value: 'v=DMARC1; p=none',
  valid: dmarc_state,
})

function Records({ data: { records: required, sending_domain: domain } }: { data: SendingDomainDetailsResponse }) {
  // A verified policy may be stricter, and must stay.
  const isDmarcMissing = required.length > 0 && domain.dmarc_state !== 'verified'
  const records = isDmarcMissing ? [...required, dmarcRecord(domain)] : required
  return (
    <Section
      title="Records to publish"
      about="Copy each into the DNS of the domain, then check again. A DMARC policy may be stricter, or that of the organization."
      isPlain
    >
      <DataTable
        label="Records"
        rows={records}
        keyOf={({ name, type, value }) => `${name} ${type} ${value}`}
        empty={<Empty title="The provider named no record">Check the domain to ask the provider.</Empty>}
        columns={[
          { title: 'Type', cell: (record) => record.type },
          {
            title: 'Name',
            cell: (record) => <Copyable value={record.name} of={`the name of the ${record.type} record`} />,
          },
          {
            title: 'Value',
            cell: (record) => <Copyable value={record.value} of={`the value of ${record.name}`} />,
          },
          { title: 'State', cell: (record) => <StateBadge state={record.valid} /> },
        ]}
      />
    </Section>
  )
}

const Copyable = ({ value, of }: { value: string; of: string }) => (
  <Group gap={6} wrap="nowrap">
    <Code maw={360} style={{ overflowWrap: 'anywhere' }}>
      {value}
    </Code>
    <CopyButton value={value} of={of} />
  </Group>
)

function Evidence({ check }: { check: ListedDomainCheck }) {
  return (
    <Section
      title="What the last check found"
      about={
        <>
          <Moment at={check.checked_at} />, requested by {check.requested_by}
        </>
      }
    >
      {evidenceOf(check.evidence).map((one) => (
        <Stack key={one.subject} gap={4} component="article" aria-label={subjectInWords(one.subject)}>
          <Group gap="xs">
            <Title order={3} size="h5">
              {subjectInWords(one.subject)}
            </Title>
            <StateBadge state={one.verdict} />
          </Group>
          {one.detail && <Text size="sm">{one.detail}</Text>}
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs">
            <Answer
              title="Expected"
              text={one.expected}
              of={subjectInWords(one.subject)}
              isCopied={isValue(one.expected)}
            />
            <Answer title="Found" text={one.found} of={subjectInWords(one.subject)} none="nothing" />
          </SimpleGrid>
        </Stack>
      ))}
    </Section>
  )
}

const Answer = ({
  title,
  text,
  of,
  none = 'nothing special',
  isCopied = text !== '',
}: {
  title: string
  text: string
  of: string
  none?: string
  /** whether it has a copy button */
  isCopied?: boolean
}) => (
  <div>
    <Group gap={6} mb={4}>
      <Text size="xs" c="dimmed">
        {title}
      </Text>
      {isCopied && <CopyButton value={text} of={`what was ${title.toLowerCase()}: ${of}`} />}
    </Group>
    <Code block fz="xs" mah={140} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }} tabIndex={0}>
      {text || none}
    </Code>
  </div>
)

function History({ domainId }: { domainId: string }) {
  const { name, console } = useWorkspace()
  const pages = usePages([name, 'domain-checks', domainId], (page, options) =>
    console.listDomainChecks({ ...page, domain_id: domainId, limit: 20 }, options),
  )
  return (
    <Section title="History of checks" isPlain>
      <PagedTable
        label="Checks"
        roomOf={4}
        pages={pages}
        rowsOf={(page) => page.checks}
        keyOf={({ id }) => id}
        empty="It was never checked"
        columns={[
          { title: 'When', cell: (check) => <Moment at={check.checked_at} /> },
          { title: 'Result', cell: (check) => <StateBadge state={check.passed ? 'passed' : 'failed'} /> },
          { title: 'Ready afterwards', cell: (check) => (check.is_ready ? 'yes' : 'no') },
          { title: 'By', cell: (check) => check.requested_by },
          {
            title: 'Not passed',
            cell: (check) =>
              evidenceOf(check.evidence)
                .filter(({ verdict }) => ['failed', 'misaligned', 'pending'].includes(verdict))
                .map(({ subject }) => subject)
                .join(', ') || '–',
          },
        ]}
      />
    </Section>
  )
}
