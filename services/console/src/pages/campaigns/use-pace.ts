import { useEffect, useState } from 'react'
import { paceOf, withSample, type PaceSample } from './pace.ts'

/** How fast a run sends, from the answers of the last half minute. One that has the same number counts too: nothing was sent. */
export function usePace(
  { sent, at }: PaceSample,
  left: number,
  isSending: boolean,
): { rate?: string; timeLeft?: string } {
  const [samples, setSamples] = useState<readonly PaceSample[]>([])
  useEffect(() => setSamples((before) => withSample(before, { at, sent })), [at, sent])
  return isSending ? paceOf(samples, left) : {}
}
