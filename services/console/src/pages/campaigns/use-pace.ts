import { useEffect, useState } from 'react'
import { paceOf, withSample, type PaceSample } from './pace.ts'

/** The age of the last answer, in milliseconds, from which nobody knows the rate any more. */
const ageMax = 10_000

/**
 * How fast a run sends, from the answers of the last half minute. One that has the same number counts too: nothing was sent.
 * Without a new answer there is soon no rate.
 */
export function usePace(
  { sent, at }: PaceSample,
  left: number,
  isSending: boolean,
): { rate?: string; timeLeft?: string } {
  const [samples, setSamples] = useState<readonly PaceSample[]>([])
  useEffect(() => setSamples((before) => (isSending ? withSample(before, { at, sent }) : [])), [at, sent, isSending])
  const [outdated, setOutdated] = useState<number>()
  useEffect(() => {
    const timer = setTimeout(() => setOutdated(at), ageMax)
    return () => clearTimeout(timer)
  }, [at])
  return isSending && outdated !== at ? paceOf(samples, left) : {}
}
