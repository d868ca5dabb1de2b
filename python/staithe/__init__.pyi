from . import codecs as codecs
from ._core import Block as Block, Loan as Loan, Reader as Reader, Recorder as Recorder
from ._core import RunningReduction as RunningReduction, Step as Step
from ._core import Variable as Variable
from ._core import Writer as Writer, WriteStep as WriteStep
from .analyses import Analysis as Analysis
from .analysing import analyse as analyse
from .analysis_files import load_analysis as load_analysis
from .box import Box as Box
from .budget import Limits as Limits, Usage as Usage, limits as limits, set_limits as set_limits, usage as usage
from .errors import AlreadyExists as AlreadyExists, Closed as Closed, Deadlock as Deadlock, Error as Error
from .errors import InvalidArgument as InvalidArgument, LimitReached as LimitReached, NotFound as NotFound
from .errors import PeerLost as PeerLost, ProtocolError as ProtocolError, SystemFailure as SystemFailure
from .errors import Timeout as Timeout, WriterFailed as WriterFailed
from .function_analysis import analysis as analysis
from .group import Group as Group
from .inspection import describe as describe, streams as streams
from .opening import reader as reader, writer as writer
from .space_batches import Batch as Batch, BatchGet as BatchGet
from .space_locks import Lock as Lock, View as View
from .space_results import Hit as Hit, Hits as Hits, Version as Version
from .space_watches import Watch as Watch
from .spaces import Space as Space, space as space

__version__: str
