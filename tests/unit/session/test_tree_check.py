# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Each broken tree file is refused at the line where it is broken."""

from pathlib import Path

import pytest
from py_trees.ports import BehaviourWithPorts, PortInformation

from elfin_bt.behaviours.guard import Guard
from elfin_bt.behaviours.parallel import Parallel
from elfin_bt.resources import share_path
from elfin_bt.session.tree_check import check_tree_file
from elfin_bt.session.tree_xml import TreeError


class Do(BehaviourWithPorts):
    """A leaf with a text."""

    INPUT_PORTS = {'what': PortInformation(data_type=str)}
    OUTPUT_PORTS: dict = {}


class Wait(BehaviourWithPorts):
    """A leaf with a number that may be left out."""

    INPUT_PORTS = {'seconds': PortInformation(data_type=float, default_value=1.0)}
    OUTPUT_PORTS: dict = {}


class Look(BehaviourWithPorts):
    """A leaf that writes a flag."""

    INPUT_PORTS: dict = {}
    OUTPUT_PORTS = {'seen': PortInformation(data_type=bool)}


REGISTRY = {cls.__name__: cls for cls in (Do, Wait, Look, Guard, Parallel)}


def check(tmp_path: Path, text: str, **others: str) -> None:
    for name, content in others.items():
        (tmp_path / f'{name}.xml').write_text(content, encoding='utf-8')
    main = tmp_path / 'main.xml'
    main.write_text(text, encoding='utf-8')
    check_tree_file(main, REGISTRY)


def in_tree(*lines: str) -> str:
    """Return a file whose tree 'main' begins at line 3."""
    body = '\n'.join(lines)
    return (
        '<root BTCPP_format="4" main_tree_to_execute="main">\n'
        f'<BehaviorTree ID="main">\n{body}\n</BehaviorTree>\n</root>'
    )


def test_the_trees_of_the_session_pass():
    from elfin_bt.behaviours.registry import REGISTRY as OURS

    check_tree_file(share_path('trees/session.xml'), OURS)


def test_a_tree_with_one_of_each_passes(tmp_path):
    check(
        tmp_path,
        in_tree(
            '<Sequence name="all" memory="false">',
            '  <Look name="look" seen="{seen}"/>',
            '  <Guard name="guard" when="{seen}">',
            '    <Parallel name="both" policy="success_on_selected" selected="a; b">',
            '      <Do name="a" what="this"/>',
            '      <Wait name="b" seconds="0.5"/>',
            '      <Wait name="c"/>',
            '    </Parallel>',
            '  </Guard>',
            '</Sequence>',
        ),
    )


BROKEN = {
    # Names.
    'no name': (in_tree('<Do what="x"/>'), 3, 'needs a name'),
    'empty name': (in_tree('<Do name="" what="x"/>'), 3, 'needs a name'),
    'a dot in a name': (in_tree('<Do name="a.b" what="x"/>'), 3, 'needs a name'),
    'a name twice': (
        in_tree(
            '<Sequence name="s" memory="true">',
            '<Do name="a" what="x"/>',
            '<Do name="a" what="y"/>',
            '</Sequence>',
        ),
        5,
        "'a' is taken at line 4",
    ),
    # Tags and attributes.
    'an unknown tag': (in_tree('<Dou name="a" what="x"/>'), 3, '<Dou> is not known'),
    'a tag in the wrong case': (
        in_tree('<sequence name="s" memory="true"><Wait name="a"/></sequence>'),
        3,
        '<sequence> is not known',
    ),
    'an unknown attribute of a leaf': (
        in_tree('<Do name="a" what="x" wat="y"/>'),
        3,
        "no attribute 'wat'",
    ),
    'an unknown attribute of a sequence': (
        in_tree('<Sequence name="s" memory="true" policy="x"><Wait name="a"/></Sequence>'),
        3,
        "no attribute 'policy'",
    ),
    'text between tags': (
        in_tree('<Sequence name="s" memory="true">', 'oops', '<Wait name="a"/></Sequence>'),
        4,
        "text between tags: 'oops'",
    ),
    # Memory.
    'no memory in a sequence': (
        in_tree('<Sequence name="s">', '<Wait name="a"/></Sequence>'),
        3,
        "needs the attribute 'memory'",
    ),
    'no memory in a selector': (
        in_tree('<Selector name="s">', '<Wait name="a"/></Selector>'),
        3,
        "needs the attribute 'memory'",
    ),
    'memory with a typo': (
        in_tree('<Selector name="s" memory="flase"><Wait name="a"/></Selector>'),
        3,
        "memory is 'flase'",
    ),
    # Parallel.
    'no policy': (
        in_tree('<Parallel name="p"><Wait name="a"/></Parallel>'),
        3,
        "needs the attribute 'policy'",
    ),
    'an unknown policy': (
        in_tree('<Parallel name="p" policy="success_on_al"><Wait name="a"/></Parallel>'),
        3,
        "policy is 'success_on_al'",
    ),
    'nothing selected': (
        in_tree('<Parallel name="p" policy="success_on_selected"><Wait name="a"/></Parallel>'),
        3,
        "'selected' names the children",
    ),
    'selected without that policy': (
        in_tree(
            '<Parallel name="p" policy="success_on_all" selected="a"><Wait name="a"/></Parallel>'
        ),
        3,
        "'selected' names the children",
    ),
    'a selected child that is none': (
        in_tree(
            '<Parallel name="p" policy="success_on_selected" selected="b">',
            '<Wait name="a"/></Parallel>',
        ),
        3,
        "'b' is selected and is not a child",
    ),
    # Children.
    'an empty sequence': (in_tree('<Sequence name="s" memory="true"/>'), 3, 'has no child'),
    'an empty guard': (in_tree('<Guard name="g" when="true"/>'), 3, 'has no child'),
    'a guard over two': (
        in_tree('<Guard name="g" when="true"><Wait name="a"/><Wait name="b"/></Guard>'),
        3,
        'has 2 children',
    ),
    'a leaf with a child': (
        in_tree('<Do name="a" what="x"><Wait name="b"/></Do>'),
        3,
        'has 1 children',
    ),
    # Ports.
    'a port left out': (in_tree('<Do name="a"/>'), 3, "needs its port 'what'"),
    'a guard without its condition': (
        in_tree('<Guard name="g"><Wait name="a"/></Guard>'),
        3,
        "needs its port 'when'",
    ),
    'a constant of the wrong type': (
        in_tree('<Wait name="a" seconds="soon"/>'),
        3,
        "seconds='soon' is not of type float",
    ),
    'half a key': (in_tree('<Do name="a" what="{x"/>'), 3, 'a key is written {name}'),
    'an output to a constant': (
        in_tree('<Look name="l" seen="true"/>'),
        3,
        'an output needs a key',
    ),
    # Keys.
    'a key that nothing writes': (
        in_tree('<Guard name="g" when="{seen}">', '<Wait name="a"/></Guard>'),
        3,
        "reads '/seen', which nothing writes",
    ),
    'a key with two writers': (
        in_tree(
            '<Sequence name="s" memory="true">',
            '<Look name="l" seen="{seen}"/>',
            '<Look name="m" seen="{seen}"/>',
            '</Sequence>',
        ),
        5,
        'a key has one writer',
    ),
    'a key read as another type': (
        in_tree(
            '<Sequence name="s" memory="true">',
            '<Look name="l" seen="{seen}"/>',
            '<Do name="a" what="{seen}"/>',
            '</Sequence>',
        ),
        5,
        "reads '/seen' as str, and it is written as bool",
    ),
    # Trees.
    'a subtree that does not exist': (
        in_tree('<SubTree ID="other" name="o"/>'),
        3,
        "there is no tree 'other'",
    ),
    'a subtree without an ID': (in_tree('<SubTree name="o"/>'), 3, 'needs the ID'),
    'a tree in itself': (
        in_tree(
            '<Sequence name="s" memory="true">', '<SubTree ID="main" name="again"/>', '</Sequence>'
        ),
        4,
        "'main' contains itself",
    ),
    'two roots': (in_tree('<Wait name="a"/>', '<Wait name="b"/>'), 2, 'has 2 roots'),
    'an attribute of a tree': (
        in_tree('<Wait name="a"/>').replace('ID="main"', 'ID="main" when="true"'),
        2,
        "no attribute 'when'",
    ),
    # The file.
    'not XML': ('<root>\n<BehaviorTree>\n</root>', 3, 'not well-formed XML'),
    'another root': ('<tree/>', 1, 'the outermost tag is <tree>'),
    'no format': ('<root main_tree_to_execute="main"/>', 1, "needs the attribute 'BTCPP_format'"),
    'another format': (
        '<root BTCPP_format="3" main_tree_to_execute="main"/>',
        1,
        "BTCPP_format is '3'",
    ),
    'no main tree': ('<root BTCPP_format="4"/>', 1, 'main_tree_to_execute is missing'),
    'a main tree that does not exist': (
        '<root BTCPP_format="4"\n main_tree_to_execute="main"/>',
        1,
        "there is no tree 'main'",
    ),
    'something else at the top': (
        in_tree('<Wait name="a"/>').replace('</root>', '<Do name="b" what="x"/>\n</root>'),
        5,
        '<Do> is not known here',
    ),
    'a document type': (
        '<!DOCTYPE root [<!ENTITY a "b">]>\n' + in_tree('<Wait name="a"/>'),
        1,
        'a document type declaration is not allowed',
    ),
    'an include that is not there': (
        in_tree('<Wait name="a"/>').replace('<Beh', '<Include file="no.xml"/><Beh'),
        2,
        "no file 'no.xml'",
    ),
    'an include by another attribute': (
        in_tree('<Wait name="a"/>').replace('<Beh', '<Include path="no.xml"/><Beh'),
        2,
        "needs the attribute 'file'",
    ),
}


@pytest.mark.parametrize(('text', 'line', 'message'), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file_is_refused_at_its_line(tmp_path, text, line, message):
    with pytest.raises(TreeError) as caught:
        check(tmp_path, text)
    where, _, what = str(caught.value).partition(': ')
    assert where == f'{tmp_path / "main.xml"}:{line}'
    assert message in what


SUBTREE = (
    '<root BTCPP_format="4">\n<BehaviorTree ID="sub">\n'
    '<Guard name="g" when="{open}"><Wait name="a"/></Guard>\n</BehaviorTree>\n</root>'
)


def with_subtree(subtree_tag: str) -> str:
    text = in_tree(
        '<Sequence name="s" memory="true">',
        '<Look name="l" seen="{seen}"/>',
        subtree_tag,
        '</Sequence>',
    )
    return text.replace('<Beh', '<Include file="sub.xml"/><Beh')


@pytest.mark.parametrize('passed', ['{seen}', 'true'])
def test_a_key_or_a_constant_is_passed_into_a_subtree(tmp_path, passed):
    check(tmp_path, with_subtree(f'<SubTree ID="sub" name="x" open="{passed}"/>'), sub=SUBTREE)


@pytest.mark.parametrize(
    ('tag', 'file', 'line', 'message'),
    [
        ('<SubTree ID="sub" name="x"/>', 'sub', 3, "reads '/x/open', which nothing writes"),
        ('<SubTree ID="sub" name="x" open="maybe"/>', 'sub', 3, 'is not of type bool'),
        (
            '<SubTree ID="sub" name="x" open="{seen}" opne="1"/>',
            'main',
            5,
            "has no key 'opne'",
        ),
        ('<SubTree ID="sub" name="x" open="{sene}"/>', 'sub', 3, "reads '/sene'"),
    ],
)
def test_what_a_subtree_needs_is_checked_across_files(tmp_path, tag, file, line, message):
    with pytest.raises(TreeError, match=f'{file}.xml:{line}: .*{message}'):
        check(tmp_path, with_subtree(tag), sub=SUBTREE)


def test_an_error_in_an_included_file_names_that_file(tmp_path):
    broken = SUBTREE.replace('<Wait name="a"/>', '\n<Wait name="a" secs="1"/>')
    with pytest.raises(TreeError, match=r"sub\.xml:4: .*'secs'"):
        check(tmp_path, with_subtree('<SubTree ID="sub" name="x" open="true"/>'), sub=broken)


def test_files_that_include_each_other_are_refused(tmp_path):
    main = in_tree('<Wait name="a"/>').replace('<Beh', '<Include file="sub.xml"/><Beh')
    sub = '<root BTCPP_format="4">\n\n<Include file="main.xml"/></root>'
    with pytest.raises(TreeError, match=r"sub\.xml:3: 'main\.xml' includes itself"):
        check(tmp_path, main, sub=sub)


def test_a_tree_of_the_same_id_in_two_files_is_refused(tmp_path):
    sub = SUBTREE.replace('ID="sub"', 'ID="main"')
    main = in_tree('<Wait name="a"/>').replace('<Beh', '<Include file="sub.xml"/>\n<Beh')
    with pytest.raises(TreeError, match=r"main\.xml:3: there is a tree 'main' already, at .*:2"):
        check(tmp_path, main, sub=sub)
