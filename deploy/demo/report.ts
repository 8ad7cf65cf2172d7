import type { People } from './add-people.ts'
import type { DemoContact } from './contacts.ts'
import type { Expected } from './expected.ts'
import { activeMembers } from './members.ts'
import { settledReport } from './run-campaign.ts'
import type { Run } from './runs.ts'
import type { Scene } from './scene.ts'
import type { ReportRow } from './table.ts'

export interface ReportTables {
  tables: [title: string, rows: ReportRow[]][]
  /** rates and raw counts as text */
  rates: string
}

/** The result of the campaign, beside the numbers that follow from the input. */
export async function reportOn(
  scene: Scene,
  { run, people, rows, expected }: { run: Run; people: People; rows: readonly DemoContact[]; expected: Expected },
): Promise<ReportTables> {
  const report = await settledReport(scene.api, scene.workspace, run.id, expected.report, scene.print)
  const outcomes = ['delivered', 'hard_bounced', 'soft_failed_only', 'no_terminal_event']
  const sum = outcomes.reduce((total, name) => total + Number(report[name]), 0)
  const malformed = rows.filter((row) => row.malformed).length
  const members = expected.included + expected.excluded - expected.report['unsubscribes_attributed']!
  const reasons = [...new Set([...Object.keys(expected.exclusions), ...Object.keys(run.exclusion_counts)])].sort()
  return {
    tables: [
      [
        'input',
        [
          { name: 'people of the file', actual: people.fromFile, expected: rows.length - malformed },
          { name: 'malformed rows refused', actual: people.refused, expected: malformed },
          { name: 'recipients in the snapshot', actual: run.included_count, expected: expected.included },
          { name: 'excluded from the snapshot', actual: run.excluded_count, expected: expected.excluded },
          {
            name: 'members of the audience now',
            actual: await activeMembers(scene, people.audienceId, members),
            expected: members,
          },
        ],
      ],
      [
        'excluded, by reason',
        reasons.map((name) => ({
          name,
          actual: run.exclusion_counts[name] ?? 0,
          expected: expected.exclusions[name] ?? 0,
        })),
      ],
      [
        'report',
        Object.entries(expected.report).map(([name, value]) => ({ name, actual: report[name], expected: value })),
      ],
      ['the four outcomes', [{ name: 'sum to sent', actual: sum, expected: expected.report['sent'] }]],
    ],
    rates: `delivery rate ${report['delivery_rate']} %, bounce rate ${report['bounce_rate']} %, raw events ${JSON.stringify(report.events)}`,
  }
}
