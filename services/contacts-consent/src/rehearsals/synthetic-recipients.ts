import { create } from '@bufbuild/protobuf'
import { ApplyImportRowsRequestSchema, type ApplyImportRowsRequest } from '@lettergate/contracts/contacts/v1/imports'

/** The parts of an import do not exceed what one call may apply. */
const rowsAtOnce = 1_000
/** One in this many is suppressed and therefore excluded. */
export const excludedOneIn = 10

const noFile = '0'.repeat(64)
const unitSeparator = '\u001f'

/**
 * The contacts of a rehearsal with their consent, as calls of an import. Their domain ends in `.invalid`, which no mail server
 * can have (RFC 2606).
 */
export function syntheticImport(
  rehearsalId: string,
  audienceId: string,
  recipientCount: number,
): ApplyImportRowsRequest[] {
  const plan = {
    importId: rehearsalId,
    audienceId,
    consentPolicy: 'explicit_opt_in',
    consentBasis: 'synthetic',
    consentSource: 'synthetic_rehearsal',
    wordingVersion: 'synthetic',
    evidenceReference: rehearsalId,
  }
  const approval = {
    sourceLabel: 'synthetic_rehearsal',
    fileSha256: noFile,
    mappingChecksum: noFile,
    reportChecksum: noFile,
    approvedBy: 'synthetic_rehearsal',
  }
  const calls = Math.ceil(recipientCount / rowsAtOnce)
  return Array.from({ length: calls }, (_, call) => {
    const first = call * rowsAtOnce + 1
    const rowNumbers = Array.from({ length: Math.min(rowsAtOnce, recipientCount - first + 1) }, (__, at) => first + at)
    const column = (target: string, valueOf: (row: number) => string) => ({
      target,
      values: rowNumbers.map(valueOf).join(unitSeparator),
    })
    return create(ApplyImportRowsRequestSchema, {
      plan,
      approval,
      rows: {
        rowNumbers,
        columns: [
          column('email', (row) => `recipient-${row}@${rehearsalId}.invalid`),
          column('first_name', (row) => `Recipient ${row}`),
          column('status', () => 'subscribed'),
        ],
      },
    })
  })
}
