import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifyAuditLog } from './verify-consent.ts'
import type { Scene } from './scene.ts'
import type { ReportRow } from './table.ts'

/** Exports the audit log with its hash chain, and verifies it without the service: unchanged, and with one actor replaced. */
export async function verifyAuditChain({ browser, print }: Scene, directory: string): Promise<ReportRow[]> {
  const { sha256 } = await browser.ok<{ sha256: string }>('GET', '/console/api/platform/audit-log/head')
  const { text } = await browser.call('GET', '/console/api/platform/audit-log/chain')
  const file = join(directory, 'audit-chain.ndjson')
  writeFileSync(file, text)
  print(`make verify-audit-log FILE=${file} HEAD=${sha256}`)
  const kept = await verifyAuditLog(file, sha256)
  print(`  ${kept.output.split('\n')[0]}`)

  const changed = join(directory, 'audit-chain-changed.ndjson')
  writeFileSync(changed, readFileSync(file, 'utf8').replace(/"actor": ?"owner"/, '"actor":"somebody"'))
  const forged = await verifyAuditLog(changed, sha256)
  for (const line of forged.output.split('\n').slice(0, 2)) print(`  ${line}`)
  return [
    { name: 'the exported audit log verifies', actual: kept.status, expected: 0 },
    { name: 'with one actor replaced it does not', actual: forged.status > 0, expected: true },
  ]
}
