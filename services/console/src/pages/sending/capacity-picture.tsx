import type { SyntheticRehearsal } from '@lettergate/client'
import { Box, Group, Progress, Stack, Table, Text, Title } from '@mantine/core'
import { ConditionsList } from '../../parts/conditions-list.tsx'
import { Copied } from '../../parts/copy-button.tsx'
import { reasonInWords } from '../../parts/explanations.ts'
import { Facts } from '../../parts/section.tsx'
import { percent } from '../../parts/words.ts'
import {
  basisInWords,
  capacityChecksOf,
  capacityReportOf,
  capacityStagesOf,
  secondsInWords,
  type CapacityStage,
} from './capacity.ts'

/** How long a real run would take, where its time goes, and that the rehearsal left nothing behind. */
export function CapacityPicture({ run }: { run: SyntheticRehearsal }) {
  const report = capacityReportOf(run)
  if (report === undefined) return null
  const { prediction, recipients } = report
  const leftOut = Object.entries(recipients.exclusion_counts)
  return (
    <Stack gap="md">
      <Stack gap={6}>
        <Text fz="lg" fw={600}>
          A run to {recipients.eligible.toLocaleString('en')} recipients takes about{' '}
          {secondsInWords(prediction.total_seconds)}, and between {secondsInWords(prediction.at_least_seconds)} and{' '}
          {secondsInWords(prediction.at_most_seconds)}.
        </Text>
        <Range {...prediction} target={run.target_seconds} />
        <Text size="sm">
          {prediction.within_target ? 'Within' : 'More than'} the target of {secondsInWords(run.target_seconds)}.{' '}
          {basisInWords(report)}
        </Text>
      </Stack>
      <Stages stages={capacityStagesOf(report)} />
      <Stack gap={6}>
        <Title order={3} size="h5">
          What the rehearsal showed
        </Title>
        <ConditionsList label="What the rehearsal showed" conditions={capacityChecksOf(run, report)} />
      </Stack>
      <Facts
        of={[
          ['The rehearsal took', run.elapsed_milliseconds && secondsInWords(run.elapsed_milliseconds / 1_000)],
          [
            'Left out',
            `${recipients.excluded.toLocaleString('en')} of ${run.recipient_count.toLocaleString('en')}` +
              (leftOut.length > 0
                ? `: ${leftOut.map(([reason, count]) => `${reasonInWords(reason).toLowerCase()} ${count.toLocaleString('en')}`).join(', ')}`
                : ''),
          ],
          [
            'Checksum of the report',
            <Copied
              key="checksum"
              value={run.report_checksum}
              of="the checksum of the report"
              shown={`${run.report_checksum.slice(0, 12)}…`}
            />,
          ],
        ]}
      />
    </Stack>
  )
}

interface PredictedRange {
  total_seconds: number
  at_least_seconds: number
  at_most_seconds: number
  target: number
}

const fills = {
  range: 'var(--mantine-color-indigo-light-hover)',
  total: 'var(--mantine-color-indigo-text)',
  target: 'var(--mantine-color-orange-6)',
}

/** The range as a band on a line of time, with the most probable duration in it; the target if it is near. */
function Range({ total_seconds: total, at_least_seconds: from, at_most_seconds: to, target }: PredictedRange) {
  const isTargetNear = target < to * 3
  const end = (isTargetNear ? Math.max(to, target) : to) * 1.1
  const at = (seconds: number) => (seconds / end) * 100
  return (
    <div>
      <svg
        viewBox="0 0 100 20"
        width="100%"
        height={36}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Between ${secondsInWords(from)} and ${secondsInWords(to)}, most probably ${secondsInWords(total)}`}
      >
        <rect x={0} y={9} width={100} height={2} style={{ fill: 'var(--mantine-color-default-border)' }} />
        <rect x={at(from)} y={4} width={at(to - from)} height={12} style={{ fill: fills.range }} />
        <rect x={at(total) - 0.3} y={0} width={0.6} height={20} style={{ fill: fills.total }} />
        {isTargetNear && <rect x={at(target) - 0.2} y={0} width={0.4} height={20} style={{ fill: fills.target }} />}
      </svg>
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          0
        </Text>
        <Text size="xs" c="dimmed">
          <Swatch fill={fills.total} /> most probable <Swatch fill={fills.range} /> range{' '}
          {isTargetNear && (
            <>
              <Swatch fill={fills.target} /> target
            </>
          )}
        </Text>
        <Text size="xs" c="dimmed">
          {secondsInWords(end)}
        </Text>
      </Group>
    </div>
  )
}

const Swatch = ({ fill }: { fill: string }) => (
  <Box
    component="span"
    display="inline-block"
    w={10}
    h={10}
    style={{ borderRadius: 2, background: fill }}
    aria-hidden
  />
)

function Stages({ stages }: { stages: readonly CapacityStage[] }) {
  return (
    <Stack gap={6}>
      <Title order={3} size="h5">
        Where the time goes
      </Title>
      <Table aria-label="Stages" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Stage</Table.Th>
            <Table.Th>Share of the time of a run</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {stages.map(({ name, title, share, perSecond }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Text size="sm">{title}</Text>
                <Text size="xs" c="dimmed">
                  {perSecond === null ? 'no time' : `${perSecond.toLocaleString('en')} recipients each second`}
                </Text>
              </Table.Td>
              <Table.Td w="50%">
                {share === null ? (
                  <Text size="xs" c="dimmed">
                    only in a rehearsal
                  </Text>
                ) : (
                  <Group gap="xs" wrap="nowrap">
                    <Progress value={share * 100} color="indigo.7" size={14} flex={1} aria-hidden />
                    <Text size="xs" w={46} ta="right">
                      {percent(share, 1)}
                    </Text>
                  </Group>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  )
}
