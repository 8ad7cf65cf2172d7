import { Text } from '@mantine/core'
import { diffWordsWithSpace, structuredPatch } from 'diff'
import { useMemo, type ReactNode } from 'react'

interface TextDiffProps {
  title: string
  before: string
  after: string
}

const Frame = ({ title, children }: { title: string; children: ReactNode }) => (
  <div>
    <Text size="sm" fw={600}>
      {title}
    </Text>
    {children}
  </div>
)

/** What became of a line: its removed and added words. */
export const WordDiff = ({ title, before, after }: TextDiffProps) => (
  <Frame title={title}>
    <Text size="sm">
      {diffWordsWithSpace(before, after).map(({ value, added, removed }, index) =>
        added ? <ins key={index}>{value}</ins> : removed ? <del key={index}>{value}</del> : value,
      )}
    </Text>
  </Frame>
)

/** What became of a text: its removed and added lines, with three lines around each. */
export function LineDiff({ title, before, after }: TextDiffProps) {
  const hunks = useMemo(
    () => structuredPatch('', '', before, after, '', '', { context: 3, timeout: 2_000 })?.hunks,
    [before, after],
  )
  return (
    <Frame title={title}>
      {hunks === undefined ? (
        <Text size="sm">The texts differ too much to be compared.</Text>
      ) : hunks.length === 0 ? (
        <Text size="sm">Nothing changed.</Text>
      ) : (
        <pre className="diff" tabIndex={0} aria-label={`Changes of ${title}`}>
          {hunks.map(({ lines, newStart }) => (
            <div key={newStart}>
              {lines.map((line, index) => {
                const text = `${line.slice(1)}\n`
                return line.startsWith('+') ? (
                  <ins key={index}>{text}</ins>
                ) : line.startsWith('-') ? (
                  <del key={index}>{text}</del>
                ) : (
                  <span key={index}>{text}</span>
                )
              })}
            </div>
          ))}
        </pre>
      )}
    </Frame>
  )
}
