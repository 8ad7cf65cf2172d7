import '@xyflow/react/dist/style.css'
import type { AutomationDefinition } from '@lettergate/client'
import type { AutomationNodeCounts } from '@lettergate/client/console'
import { useComputedColorScheme } from '@mantine/core'
import {
  Background,
  BaseEdge,
  Controls,
  Handle,
  Position,
  ReactFlow,
  useReactFlow,
  useStore,
  useStoreApi,
  type Edge,
  type EdgeProps,
  type Node,
  type NodeProps,
} from '@xyflow/react'
import { useEffect, useMemo, useRef } from 'react'
import { counted } from '../../parts/words.ts'
import { countsInWords } from './counts.ts'
import { layoutOf, step, type Line } from './layout.ts'
import { nodeInWords, type Names } from './node-words.ts'
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
type LabelNode = Node<{ text: string }, 'label'>
type WayEdge = Edge<{ line: Line }, 'way'>

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

/** A longer label is cut. */
const labelCut = 40

const Label = ({ data: { text } }: NodeProps<LabelNode>) => (
  <div className="way" {...(text.length > labelCut && { 'data-means': text })}>
    <span>{text}</span>
  </div>
)
const nodeTypes = { step: Step, label: Label }

/** how far a line that goes up again goes down before, and above the step to which it leads */
const turn = 36

/** A line through its points. It leaves and reaches each of them from above or from below. */
function WayLine({ sourceX, sourceY, targetX, targetY, data }: EdgeProps<WayEdge>) {
  const { points, upAt } = data!.line
  let at = { x: sourceX, y: sourceY }
  let path = `M${at.x},${at.y}`
  const go = (x: number, y: number) => {
    const middle = (at.y + y) / 2
    path += ` C${at.x},${middle} ${x},${middle} ${x},${y}`
    at = { x, y }
  }
  for (const { x, y } of points) go(x, y)
  if (upAt === undefined) go(targetX, targetY)
  else
    path +=
      ` C${at.x},${at.y + turn} ${upAt},${at.y + turn} ${upAt},${at.y} L${upAt},${targetY}` +
      ` C${upAt},${targetY - turn} ${targetX},${targetY - turn} ${targetX},${targetY}`
  return <BaseEdge path={path} />
}
const edgeTypes = { way: WayLine }

/** A long graph is not made smaller than this by itself. */
const readable = 0.75

/** By how much something must move to be inside of a window, with a margin that a graph on a telephone has too. */
const missing = (start: number, size: number, window: number, margin = 8): number =>
  start < margin ? margin - start : Math.min(0, window - margin - (start + size))

/** Fits the graph again after an edit that made it larger or smaller, and after its frame got another height then. */
function Refit({ width, height }: { width: number; height: number }) {
  const { fitView } = useReactFlow()
  const frame = useStore((state) => state.height)
  const fitted = useRef('')
  useEffect(() => {
    const size = `${width} ${height} ${frame}`
    // Its first fit waits for the frame by itself.
    if (frame === 0 || fitted.current === size) return
    const isFirst = fitted.current === ''
    fitted.current = size
    if (!isFirst) void fitView({ minZoom: readable })
  }, [width, height, frame, fitView])
  return null
}

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

/** the height of the room around the graph */
const room = 24

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
  /** absent before they are read, and while the graph is edited */
  counts?: readonly AutomationNodeCounts[] | undefined
  names: Names
  /** the key of the node that is edited */
  chosen?: string
  problems?: ReadonlyMap<string, GraphProblem[]>
  onChoose?: (key: string) => void
}) {
  const isEdited = onChoose !== undefined
  const colorMode = useComputedColorScheme('light')
  const layout = useMemo(() => layoutOf(definition), [definition])
  const steps = useMemo(
    (): StepNode[] =>
      layout.steps.map(({ key, x, y }) => {
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
            note: isEdited ? (ofNode.length > 0 ? '' : key) : countsInWords(counts, key),
            problems: ofNode,
            isChosen: key === chosen,
            isStart: key === definition.start_node,
            isEnd: node.type === 'end',
          },
        }
      }),
    [layout, definition, counts, names, chosen, problems, isEdited],
  )
  const labels = useMemo(
    () =>
      layout.labels.map(({ way: { from, to, label }, x, y, width, height }): LabelNode => ({
        // No key of a node begins like this.
        id: ` ${from} ${to}`,
        type: 'label',
        position: { x, y },
        width,
        height,
        data: { text: label },
      })),
    [layout],
  )
  const edges = useMemo(
    () =>
      layout.lines.map((line): WayEdge => ({
        id: `${line.way.from} ${line.way.to}`,
        type: 'way',
        source: line.way.from,
        target: line.way.to,
        data: { line },
      })),
    [layout],
  )
  const nodes = useMemo(() => [...labels, ...steps], [labels, steps])
  const width = Math.max(...[...layout.steps, ...layout.labels].map((box) => box.x + box.width))
  // As high as the graph at its own size, so that its texts can be read; a long one is scaled down.
  return (
    <div className="graph" style={{ height: Math.min(Math.max(layout.height + room, 320), 1_000) }}>
      {/* Steps are no tab stops: the form beside has a list to choose one, and without a form there is nothing to do. */}
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        colorMode={colorMode}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        disableKeyboardA11y
        {...(onChoose ? { onNodeClick: (_, { id, type }) => type === 'step' && onChoose(id) } : {})}
        fitView
        fitViewOptions={{ minZoom: readable }}
        minZoom={0.2}
        maxZoom={1.5}
        preventScrolling={false}
        zoomOnScroll={false}
      >
        <Background />
        <Refit width={width} height={layout.height} />
        <InView node={steps.find(({ id }) => id === chosen)} />
        <Controls showInteractive={false} position="top-right" />
      </ReactFlow>
    </div>
  )
}
