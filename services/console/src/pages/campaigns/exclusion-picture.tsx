import type { CampaignReport, CampaignRun } from '@lettergate/client'
import { Progress, Stack, Table, Text } from '@mantine/core'
import { explained, reasonInWords } from '../../parts/explanations.ts'
import { Section } from '../../parts/section.tsx'
import { SharesBar } from '../../parts/shares-bar.tsx'
import { counted } from '../../parts/words.ts'

/** From the members of the audiences, or the unknown emails of another run, to the people who were sent to, with each reason on the way. */
export function ExclusionPicture({ run, report }: { run: CampaignRun; report: CampaignReport }) {
  const all = run.included_count + run.excluded_count
  const those = run.resends_run_id ? `${counted(all, 'unknown email')} of another run` : counted(all, 'active member')
  return (
    <Section
      title="Who is left out, and why"
      about={`Of ${those} when it was scheduled. Somebody can have several reasons.`}
    >
      <SharesBar
        label={run.resends_run_id ? 'Unknown emails' : 'Members'}
        shares={[
          { name: 'Included', count: run.included_count, color: 'indigo.7' },
          { name: 'Left out', count: run.excluded_count, color: 'orange.7' },
        ]}
      />
      <Reasons title="Left out when it was scheduled" counts={run.exclusion_counts} whole={all} />
      <Reasons title="Skipped at the hand-off" counts={report.skip_reasons} whole={run.included_count} />
    </Section>
  )
}

function Reasons({ title, counts, whole }: { title: string; counts: Record<string, number>; whole: number }) {
  const reasons = Object.entries(counts).toSorted(([, one], [, other]) => other - one)
  if (reasons.length === 0) return null
  return (
    <Stack gap={4}>
      <Text fw={600} size="sm">
        {title}
      </Text>
      <Table aria-label={title} verticalSpacing={4} layout="fixed">
        <Table.Tbody>
          {reasons.map(([reason, count]) => (
            <Table.Tr key={reason}>
              <Table.Td>
                <Text size="sm">{reasonInWords(reason)}</Text>
                <Text size="xs" c="dimmed">
                  {explained(reason).remedy}
                </Text>
              </Table.Td>
              <Table.Td w={80} ta="right" ff="monospace">
                {count.toLocaleString('en')}
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <Progress value={whole === 0 ? 0 : (count / whole) * 100} color="orange.7" size={12} aria-hidden />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  )
}
