'use strict';
(() => {
  // Tables: a button in each head sorts by what `data-v` holds, or by the text; unknown figures stay last.
  const value = (row, column) => {
    const cell = row.cells[column];
    const known = cell.dataset.v;
    return known === undefined ? cell.textContent : known === '' ? null : Number(known);
  };
  const compare = (a, b) => (typeof a === 'number' ? a - b : a < b ? -1 : a > b ? 1 : 0);
  document.querySelectorAll('th button').forEach((button) => {
    button.addEventListener('click', () => {
      const head = button.closest('th');
      const body = head.closest('table').tBodies[0];
      const falls = head.getAttribute('aria-sort') === 'ascending';
      head.parentNode.querySelectorAll('th').forEach((other) => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', falls ? 'descending' : 'ascending');
      const rows = Array.from(body.rows, (row, at) => ({ row, at, value: value(row, head.cellIndex) }));
      rows.sort((a, b) => {
        if (a.value === null || b.value === null) {
          return a.value === b.value ? a.at - b.at : a.value === null ? 1 : -1;
        }
        return (falls ? compare(b.value, a.value) : compare(a.value, b.value)) || a.at - b.at;
      });
      rows.forEach(({ row }) => body.appendChild(row));
    });
  });

  // Plots: what a mark stands for, where it is pointed at, tapped, or reached by the arrow keys.
  const tip = document.getElementById('tip');
  const show = (mark) => {
    tip.textContent = mark.getAttribute('aria-label');
    tip.hidden = false;
    const at = mark.getBoundingClientRect();
    const left = Math.min(Math.max(8, at.right + 10), innerWidth - tip.offsetWidth - 8);
    const above = at.top - tip.offsetHeight - 8;
    tip.style.left = Math.max(8, left) + 'px';
    tip.style.top = (above > 8 ? above : Math.min(at.bottom + 8, innerHeight - tip.offsetHeight - 8)) + 'px';
  };
  const hide = () => {
    tip.hidden = true;
    document.querySelectorAll('.here').forEach((mark) => mark.classList.remove('here'));
  };
  document.addEventListener('pointerover', (event) => {
    const mark = event.target instanceof Element && event.target.closest('.tip');
    if (mark) show(mark);
    else if (!document.querySelector('.here')) hide();
  });
  document.addEventListener('scroll', hide, true);
  document.querySelectorAll('figure svg').forEach((svg) => {
    const marks = Array.from(svg.querySelectorAll('.tip'));
    let at = -1;
    svg.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === 'Escape') hide();
      if (!step || !marks.length) return;
      event.preventDefault();
      hide();
      at = at < 0 ? (step > 0 ? 0 : marks.length - 1) : (at + step + marks.length) % marks.length;
      marks[at].classList.add('here');
      show(marks[at]);
    });
    svg.addEventListener('blur', hide);
  });

  // The report itself, as `--output json` would have written it.
  const save = document.getElementById('save');
  if (save) {
    save.addEventListener('click', () => {
      const text = document.getElementById('report').textContent;
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
      link.download = save.dataset.name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }
  addEventListener('beforeprint', () => document.querySelectorAll('details').forEach((part) => { part.open = true; }));
})();
