import type { CampaignReportResponse } from '@lettergate/client'
import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'

/** How soon the parts of a run are read again that change with its report. */
export const reportEveryMs = 3_000

/**
 * Reads a part of a run again after each report that differs from the one before, so that the numbers of its page agree. A
 * report of a run that ended may be the last one that differs: a read that began before it is not enough.
 */
export function useReadWithReport(
  report: CampaignReportResponse,
  isLive: boolean,
  refetch: UseQueryResult['refetch'],
): void {
  const last = useRef(report)
  useEffect(() => {
    if (last.current === report) return
    last.current = report
    void refetch({ cancelRefetch: !isLive })
  }, [report, isLive, refetch])
}
