import type { Scene } from './scene.ts'
import type { ReportRow } from './table.ts'

interface Preflight {
  id: string
  status: string
  summary: { passed: number; blocked: number; warnings: number }
  checks: { label: string; status: string; detail: string; remediation: string }[]
  report_checksum: string
}

/** Runs the launch preflight and reads it again. The links of the local stack use no HTTPS, so it warns about that. */
export async function runPreflight({ api, workspace, print }: Scene): Promise<ReportRow[]> {
  const path = `${workspace}/operations/preflight`
  const { preflight } = await api.ok<{ preflight: Preflight }>('POST', path, {})
  const { preflight: kept } = await api.ok<{ preflight: Preflight }>('GET', path)
  const { summary, checks, status } = preflight
  print(`${summary.passed} of ${checks.length} checks pass, so the report is ${status}`)
  for (const { label, status: found, detail, remediation } of checks)
    if (found !== 'pass') print(`${found}: ${label}. ${detail} ${remediation}`)
  return [
    { name: 'preflight', actual: status, expected: 'passed' },
    { name: 'blocked checks', actual: summary.blocked, expected: 0 },
    {
      name: 'checksum of the kept report',
      actual: kept.report_checksum.slice(0, 9),
      expected: preflight.report_checksum.slice(0, 9),
    },
  ]
}
