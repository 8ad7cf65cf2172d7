import '@xyflow/react/dist/style.css'
import type { AutomationDefinition } from '@lettergate/client'
import type { AutomationNodeCounts } from '@lettergate/client/console'
import { useComputedColorScheme } from '@mantine/core'
import {
  Background,
  Controls,
  Handle,
  Position,
  ReactFlow,
  useReactFlow,
  useStore,
  useStoreApi,
  type Edge,
  type Node,
  type NodeProps,
} from '@xyflow/react'
import { useEffect, useMemo } from 'react'
import { counted } from '../../parts/words.ts'
import { countsInWords } from './counts.ts'
import { layoutOf } from './layout.ts'
import { conditionInWords, nodeInWords, type Names } from './node-words.ts'
import { areWarnings, type GraphProblem } from './problems.ts'

interface StepData extends Record<string, unknown> {
  words: string
  /** who is there, or the key */
  note: string
  problems: readonly GraphProblem[]
  isStart: boolean
  isEnd: boolean
  isChosen: boolean
}
type StepNode = Node<StepData, 'step'>

const textOf = (problems: readonly GraphProblem[]) => problems.map(({ text }) => text).join(' ')

const faultOf = (problems: readonly GraphProblem[]) =>
  problems.length > 0 && (areWarnings(problems) ? 'warning' : 'problem')

const Step = ({ data }: NodeProps<StepNode>) => (
  <div className="step" data-chosen={data.isChosen} data-faulty={faultOf(data.problems)}>
    {!data.isStart && <Handle type="target" position={Position.Top} isConnectable={false} />}
    <strong>{data.words}</strong>
    {data.note && <span>{data.note}</span>}
    {data.problems.length > 0 && (
      <span data-means={textOf(data.problems)}>
        ⚠ {counted(data.problems.length, areWarnings(data.problems) ? 'warning' : 'problem')}
      </span>
    )}
    {!data.isEnd && <Handle type="source" position={Position.Bottom} isConnectable={false} />}
  </div>
)
const nodeTypes = { step: Step }

/** the size of a step on the screen; one with a long text is a little higher */
const step = { width: 200, height: 80 }

/** A long graph is not made smaller than this by itself. */
const readable = 0.75

/** By how much something must move to be inside of a window, with a margin that a graph on a telephone has too. */
const missing = (start: number, size: number, window: number, margin = 8): number =>
  start < margin ? margin - start : Math.min(0, window - margin - (start + size))

/** Brings a step into the window of the graph if it is not there, for example one that was chosen in the form. */
function InView({ node }: { node: StepNode | undefined }) {
  const isFitted = useStore((state) => !state.fitViewQueued)
  const { getViewport, setViewport } = useReactFlow()
  const store = useStoreApi()
  const { x, y } = node?.position ?? {}
  useEffect(() => {
    if (!isFitted || x === undefined || y === undefined) return
    const { zoom, ...shift } = getViewport()
    const { width, height } = store.getState()
    const right = missing(x * zoom + shift.x, step.width * zoom, width)
    const down = missing(y * zoom + shift.y, step.height * zoom, height)
    if (right !== 0 || down !== 0) void setViewport({ x: shift.x + right, y: shift.y + down, zoom })
  }, [x, y, isFitted, getViewport, setViewport, store])
  return null
}

/** the height of the last row and of the room around the graph */
const lastRow = 160

const noProblems: ReadonlyMap<string, GraphProblem[]> = new Map()

/**
 * The graph of a version, with the problems of each node and, unless it is edited, the people there. The list or the form
 * beside it says the same.
 */
export default function Graph({
  definition,
  counts,
  names,
  chosen,
  problems = noProblems,
  onChoose,
}: {
  definition: AutomationDefinition
  /** absent while the graph is edited */
  counts?: readonly AutomationNodeCounts[]
  names: Names
  /** the key of the node that is edited */
  chosen?: string
  problems?: ReadonlyMap<string, GraphProblem[]>
  onChoose?: (key: string) => void
}) {
  const colorMode = useComputedColorScheme('light')
  const nodes = useMemo(
    (): StepNode[] =>
      layoutOf(definition).map(({ key, x, y }) => {
        const node = definition.nodes.find((one) => one.key === key)!
        const words = nodeInWords(node, names)
        const ofNode = problems.get(key) ?? []
        return {
          id: key,
          type: 'step',
          position: { x, y },
          ariaLabel: ofNode.length > 0 ? `${words}: ⚠ ${textOf(ofNode)}` : words,
          ariaRole: 'group',
          data: {
            words,
            note: counts ? countsInWords(counts.find((one) => one.node_key === key)) : ofNode.length > 0 ? '' : key,
            problems: ofNode,
            isChosen: key === chosen,
            isStart: key === definition.start_node,
            isEnd: node.type === 'end',
          },
        }
      }),
    [definition, counts, names, chosen, problems],
  )
  const edges = useMemo(
    (): Edge[] =>
      definition.edges.map(({ from, to, branch, condition }) => ({
        id: `${from} ${to} ${branch}`,
        source: from,
        target: to,
        label: condition
          ? conditionInWords(condition)
          : definition.edges.some((other) => other.from === from && other.to !== to)
            ? 'otherwise'
            : '',
      })),
    [definition],
  )
  // As high as the graph at its own size, so that its texts can be read; a long one is scaled down.
  const bottom = Math.max(0, ...nodes.map(({ position }) => position.y)) + lastRow
  return (
    <div className="graph" style={{ height: Math.min(Math.max(bottom, 320), 1_000) }}>
      {/* Steps are no tab stops: the form beside has a list to choose one, and without a form there is nothing to do. */}
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        colorMode={colorMode}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        disableKeyboardA11y
        {...(onChoose ? { onNodeClick: (_, node) => onChoose(node.id) } : {})}
        fitView
        fitViewOptions={{ minZoom: readable }}
        minZoom={0.2}
        maxZoom={1.5}
        preventScrolling={false}
        zoomOnScroll={false}
      >
        <Background />
        <InView node={nodes.find(({ id }) => id === chosen)} />
        <Controls showInteractive={false} position="top-right" />
      </ReactFlow>
    </div>
  )
}
